"""The published contract, made from the schemas and the list of operations; `make openapi` writes it.

To publish more calls, yield their `Operation`s from `operations.operations()`, with bodies and answers as fields.
"""

from service.contract.openapi.document import document, for_writing

__all__ = ["document", "for_writing"]
