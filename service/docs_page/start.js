SwaggerUIBundle({ url: "/openapi.json", dom_id: "#contract", deepLinking: true, validatorUrl: null });
