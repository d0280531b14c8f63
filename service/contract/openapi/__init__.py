"""The published contract, made from the schemas and the list of operations; `make openapi` writes it.

To publish more calls, yield their `Operation`s from `operations.operations()`, with bodies and answers as fields.
"""

from service.contract.openapi.document import as_yaml, document

__all__ = ["as_yaml", "document"]
