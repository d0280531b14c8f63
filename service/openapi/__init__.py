"""The published contract, generated from the schemas and the list of operations.

`python -m service.openapi` writes openapi.yaml; `--check` says whether it is up to date. To publish more calls, yield
their `Operation`s from `operations.operations()`; what they take and answer are fields as in `schemas`.
"""

from service.openapi.document import document, text

__all__ = ["document", "text"]
