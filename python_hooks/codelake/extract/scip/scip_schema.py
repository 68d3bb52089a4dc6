"""SCIP schema: the messages of a SCIP index, as far as codelake reads them.

    message("Document").FromString(data).relative_path      -> "pkg/module.py"

The public protocol (scip.proto) is a protobuf schema. Field names and numbers are written down
here and handed to the protobuf library, so there is no generated code and no compiler; enumerations
are plain numbers on the wire, and their names are below. A signature was a Document in older
indexes and has the same field numbers since.

Ranges have two forms: `range`, three or four numbers, in all indexes so far, and the typed ranges
that replace it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import (  # type: ignore[import-untyped]
    descriptor_pb2,
    descriptor_pool,
    message_factory,
)

# field: (number, type); `*` marks a repeated field, a capital letter another message
_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Index": {
        "metadata": (1, "Metadata"),
        "documents": (2, "*Document"),
        "external_symbols": (3, "*SymbolInformation"),
    },
    "Metadata": {
        "version": (1, "int32"),
        "tool_info": (2, "ToolInfo"),
        "project_root": (3, "string"),
        "text_document_encoding": (4, "int32"),
    },
    "ToolInfo": {
        "name": (1, "string"),
        "version": (2, "string"),
        "arguments": (3, "*string"),
    },
    "Document": {
        "relative_path": (1, "string"),
        "occurrences": (2, "*Occurrence"),
        "symbols": (3, "*SymbolInformation"),
        "language": (4, "string"),
        "text": (5, "string"),
        "position_encoding": (6, "int32"),
    },
    "Occurrence": {
        "range": (1, "*int32"),
        "symbol": (2, "string"),
        "symbol_roles": (3, "int32"),
        "override_documentation": (4, "*string"),
        "syntax_kind": (5, "int32"),
        "diagnostics": (6, "*Diagnostic"),
        "enclosing_range": (7, "*int32"),
        "single_line_range": (8, "SingleLineRange"),
        "multi_line_range": (9, "MultiLineRange"),
        "single_line_enclosing_range": (10, "SingleLineRange"),
        "multi_line_enclosing_range": (11, "MultiLineRange"),
    },
    "SingleLineRange": {
        "line": (1, "int32"),
        "start_character": (2, "int32"),
        "end_character": (3, "int32"),
    },
    "MultiLineRange": {
        "start_line": (1, "int32"),
        "start_character": (2, "int32"),
        "end_line": (3, "int32"),
        "end_character": (4, "int32"),
    },
    "SymbolInformation": {
        "symbol": (1, "string"),
        "documentation": (3, "*string"),
        "relationships": (4, "*Relationship"),
        "kind": (5, "int32"),
        "display_name": (6, "string"),
        "signature_documentation": (7, "Signature"),
        "enclosing_symbol": (8, "string"),
    },
    "Signature": {
        "language": (4, "string"),
        "text": (5, "string"),
    },
    "Relationship": {
        "symbol": (1, "string"),
        "is_reference": (2, "bool"),
        "is_implementation": (3, "bool"),
        "is_type_definition": (4, "bool"),
        "is_definition": (5, "bool"),
    },
    "Diagnostic": {
        "severity": (1, "int32"),
        "code": (2, "string"),
        "message": (3, "string"),
        "source": (4, "string"),
        "tags": (5, "*int32"),
    },
}

ROLES = {
    "is_definition": 1,
    "is_import": 2,
    "is_write": 4,
    "is_read": 8,
    "is_generated": 16,
    "is_test": 32,
    "is_forward_definition": 64,
}
POSITION_ENCODINGS = {1: "utf-8", 2: "utf-16", 3: "utf-32"}
TEXT_ENCODINGS = {1: "utf-8", 2: "utf-16"}
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
DIAGNOSTIC_TAGS = {1: "unnecessary", 2: "deprecated"}
_SYNTAX_KINDS = """
    Comment PunctuationDelimiter PunctuationBracket Keyword IdentifierOperator Identifier
    IdentifierBuiltin IdentifierNull IdentifierConstant IdentifierMutableGlobal
    IdentifierParameter IdentifierLocal IdentifierShadowed IdentifierNamespace
    IdentifierFunction IdentifierFunctionDefinition IdentifierMacro IdentifierMacroDefinition
    IdentifierType IdentifierBuiltinType IdentifierAttribute RegexEscape RegexRepeated
    RegexWildcard RegexDelimiter RegexJoin StringLiteral StringLiteralEscape
    StringLiteralSpecial StringLiteralKey CharacterLiteral NumericLiteral BooleanLiteral Tag
    TagAttribute TagDelimiter
"""
SYNTAX_KINDS = dict(enumerate(_SYNTAX_KINDS.split(), start=1))
_SYMBOL_KINDS = """
    Array Assertion AssociatedType Attribute Axiom Boolean Class Constant Constructor DataFamily
    Enum EnumMember Event Fact Field File Function Getter Grammar Instance Interface Key Lang
    Lemma Macro Method MethodReceiver Message Module Namespace Null Number Object Operator
    Package PackageObject Parameter ParameterLabel Pattern Predicate Property Protocol
    Quasiquoter SelfParameter Setter Signature Subscript String Struct Tactic Theorem
    ThisParameter Trait Type TypeAlias TypeClass TypeFamily TypeParameter Union Value Variable
    Contract Error Library Modifier AbstractMethod MethodSpecification ProtocolMethod
    PureVirtualMethod TraitMethod TypeClassMethod Accessor Delegate MethodAlias SingletonClass
    SingletonMethod StaticDataMember StaticEvent StaticField StaticMethod StaticProperty
    StaticVariable
"""
SYMBOL_KINDS = dict(enumerate(_SYMBOL_KINDS.split(), start=1)) | {
    84: "Extension",
    85: "Mixin",
    86: "Concept",
}

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "string": _FIELD.TYPE_STRING,
    "int32": _FIELD.TYPE_INT32,
    "bool": _FIELD.TYPE_BOOL,
}


@cache
def message(name: str) -> Any:
    """Return the class of a message.

    Args:
        name: its name in the protocol.
    """
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"codelake.scip.{name}"))


@cache
def _pool() -> Any:
    """Return a pool of its own, so that no other library's SCIP messages clash with these."""
    file = descriptor_pb2.FileDescriptorProto(
        name="codelake/scip.proto", package="codelake.scip", syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        described = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            label = _FIELD.LABEL_REPEATED if kind.startswith("*") else _FIELD.LABEL_OPTIONAL
            kind = kind.removeprefix("*")
            added = described.field.add(name=field, number=number, label=label)
            if kind in _SCALARS:
                added.type = _SCALARS[kind]
            else:
                added.type = _FIELD.TYPE_MESSAGE
                added.type_name = f".codelake.scip.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
