//! The schemas of schemas, for references to them: what the specifications say of the form of each keyword.
//!
//! Each is one document. Since 2019-09 the keywords come in vocabularies with addresses of their own; these are parts
//! of the document here.

/// One of them.
pub(super) struct Metaschema {
    pub(super) address: &'static str,
    /// What the addresses of its parts begin with.
    parts: Option<&'static str>,
    pub(super) text: &'static str,
}

/// The number of the one that an address belongs to.
pub(super) fn position(address: &str) -> Option<usize> {
    let path = |address: &'static str| address.split_once("://").map_or(address, |(_, path)| path);
    let asked = address.split_once("://").map_or(address, |(_, path)| path);
    ALL.iter().position(|meta| {
        path(meta.address) == asked || meta.parts.is_some_and(|parts| address.starts_with(parts))
    })
}

/// All of them.
pub(super) static ALL: [Metaschema; 5] = [
    Metaschema { address: "http://json-schema.org/draft-04/schema", parts: None, text: DRAFT_4 },
    Metaschema { address: "http://json-schema.org/draft-06/schema", parts: None, text: DRAFT_6 },
    Metaschema { address: "http://json-schema.org/draft-07/schema", parts: None, text: DRAFT_7 },
    Metaschema {
        address: "https://json-schema.org/draft/2019-09/schema",
        parts: Some("https://json-schema.org/draft/2019-09/meta/"),
        text: DRAFT_2019_09,
    },
    Metaschema {
        address: "https://json-schema.org/draft/2020-12/schema",
        parts: Some("https://json-schema.org/draft/2020-12/meta/"),
        text: DRAFT_2020_12,
    },
];

const DRAFT_4: &str = r##"{
  "$schema": "http://json-schema.org/draft-04/schema#", "id": "http://json-schema.org/draft-04/schema#",
  "definitions": {
    "schemas": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "schemaMap": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "schemaOrBoolean": { "anyOf": [{ "type": "boolean" }, { "$ref": "#" }] },
    "count": { "type": "integer", "minimum": 0 },
    "types": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "names": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string" } }
  },
  "type": "object",
  "properties": {
    "id": { "type": "string" }, "$schema": { "type": "string" }, "title": { "type": "string" },
    "description": { "type": "string" }, "default": {}, "format": { "type": "string" },
    "multipleOf": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
    "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "boolean" },
    "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "boolean" },
    "maxLength": { "$ref": "#/definitions/count" }, "minLength": { "$ref": "#/definitions/count" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#/definitions/schemaOrBoolean" },
    "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemas" }] },
    "maxItems": { "$ref": "#/definitions/count" }, "minItems": { "$ref": "#/definitions/count" },
    "uniqueItems": { "type": "boolean" },
    "maxProperties": { "$ref": "#/definitions/count" }, "minProperties": { "$ref": "#/definitions/count" },
    "required": { "$ref": "#/definitions/names" },
    "additionalProperties": { "$ref": "#/definitions/schemaOrBoolean" },
    "definitions": { "$ref": "#/definitions/schemaMap" },
    "properties": { "$ref": "#/definitions/schemaMap" },
    "patternProperties": { "$ref": "#/definitions/schemaMap" },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/names" }] }
    },
    "enum": { "type": "array", "minItems": 1, "uniqueItems": true },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/types" },
        { "type": "array", "items": { "$ref": "#/definitions/types" }, "minItems": 1, "uniqueItems": true }
      ]
    },
    "allOf": { "$ref": "#/definitions/schemas" }, "anyOf": { "$ref": "#/definitions/schemas" },
    "oneOf": { "$ref": "#/definitions/schemas" }, "not": { "$ref": "#" }
  },
  "dependencies": { "exclusiveMaximum": ["maximum"], "exclusiveMinimum": ["minimum"] }
}"##;

const DRAFT_6: &str = r##"{
  "$schema": "http://json-schema.org/draft-06/schema#", "$id": "http://json-schema.org/draft-06/schema#",
  "definitions": {
    "schemas": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "schemaMap": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "count": { "type": "integer", "minimum": 0 },
    "types": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "names": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
  },
  "type": ["object", "boolean"],
  "properties": {
    "$id": { "type": "string", "format": "uri-reference" }, "$schema": { "type": "string", "format": "uri" },
    "$ref": { "type": "string", "format": "uri-reference" },
    "title": { "type": "string" }, "description": { "type": "string" },
    "examples": { "type": "array" }, "format": { "type": "string" },
    "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
    "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "number" },
    "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "number" },
    "maxLength": { "$ref": "#/definitions/count" }, "minLength": { "$ref": "#/definitions/count" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#" },
    "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemas" }] },
    "maxItems": { "$ref": "#/definitions/count" }, "minItems": { "$ref": "#/definitions/count" },
    "uniqueItems": { "type": "boolean" }, "contains": { "$ref": "#" },
    "maxProperties": { "$ref": "#/definitions/count" }, "minProperties": { "$ref": "#/definitions/count" },
    "required": { "$ref": "#/definitions/names" },
    "additionalProperties": { "$ref": "#" }, "propertyNames": { "$ref": "#" },
    "definitions": { "$ref": "#/definitions/schemaMap" },
    "properties": { "$ref": "#/definitions/schemaMap" },
    "patternProperties": { "$ref": "#/definitions/schemaMap" },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/names" }] }
    },
    "enum": { "type": "array" },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/types" },
        { "type": "array", "items": { "$ref": "#/definitions/types" }, "minItems": 1, "uniqueItems": true }
      ]
    },
    "allOf": { "$ref": "#/definitions/schemas" }, "anyOf": { "$ref": "#/definitions/schemas" },
    "oneOf": { "$ref": "#/definitions/schemas" }, "not": { "$ref": "#" }
  }
}"##;

const DRAFT_7: &str = r##"{
  "$schema": "http://json-schema.org/draft-07/schema#", "$id": "http://json-schema.org/draft-07/schema#",
  "definitions": {
    "schemas": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "schemaMap": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "count": { "type": "integer", "minimum": 0 },
    "types": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "names": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
  },
  "type": ["object", "boolean"],
  "properties": {
    "$id": { "type": "string", "format": "uri-reference" }, "$schema": { "type": "string", "format": "uri" },
    "$ref": { "type": "string", "format": "uri-reference" }, "$comment": { "type": "string" },
    "title": { "type": "string" }, "description": { "type": "string" },
    "readOnly": { "type": "boolean" }, "writeOnly": { "type": "boolean" },
    "examples": { "type": "array" }, "format": { "type": "string" },
    "contentMediaType": { "type": "string" }, "contentEncoding": { "type": "string" },
    "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
    "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "number" },
    "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "number" },
    "maxLength": { "$ref": "#/definitions/count" }, "minLength": { "$ref": "#/definitions/count" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#" },
    "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemas" }] },
    "maxItems": { "$ref": "#/definitions/count" }, "minItems": { "$ref": "#/definitions/count" },
    "uniqueItems": { "type": "boolean" }, "contains": { "$ref": "#" },
    "maxProperties": { "$ref": "#/definitions/count" }, "minProperties": { "$ref": "#/definitions/count" },
    "required": { "$ref": "#/definitions/names" },
    "additionalProperties": { "$ref": "#" }, "propertyNames": { "$ref": "#" },
    "definitions": { "$ref": "#/definitions/schemaMap" },
    "properties": { "$ref": "#/definitions/schemaMap" },
    "patternProperties": {
      "type": "object", "additionalProperties": { "$ref": "#" }, "propertyNames": { "format": "regex" }
    },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/names" }] }
    },
    "enum": { "type": "array" },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/types" },
        { "type": "array", "items": { "$ref": "#/definitions/types" }, "minItems": 1, "uniqueItems": true }
      ]
    },
    "if": { "$ref": "#" }, "then": { "$ref": "#" }, "else": { "$ref": "#" },
    "allOf": { "$ref": "#/definitions/schemas" }, "anyOf": { "$ref": "#/definitions/schemas" },
    "oneOf": { "$ref": "#/definitions/schemas" }, "not": { "$ref": "#" }
  }
}"##;

const DRAFT_2019_09: &str = r##"{
  "$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "https://json-schema.org/draft/2019-09/schema",
  "$recursiveAnchor": true, "type": ["object", "boolean"],
  "allOf": [
    { "$ref": "meta/core" }, { "$ref": "meta/applicator" }, { "$ref": "meta/validation" },
    { "$ref": "meta/meta-data" }, { "$ref": "meta/format" }, { "$ref": "meta/content" }
  ],
  "properties": {
    "definitions": { "type": "object", "additionalProperties": { "$recursiveRef": "#" } },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$recursiveRef": "#" }, { "$ref": "meta/validation#/$defs/names" }] }
    }
  },
  "$defs": {
    "core": {
      "$id": "meta/core", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": {
        "$id": { "type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$" },
        "$schema": { "type": "string", "format": "uri" },
        "$anchor": { "type": "string", "pattern": "^[A-Za-z][-A-Za-z0-9.:_]*$" },
        "$ref": { "type": "string", "format": "uri-reference" },
        "$recursiveRef": { "type": "string", "format": "uri-reference" },
        "$recursiveAnchor": { "type": "boolean" },
        "$vocabulary": {
          "type": "object", "propertyNames": { "type": "string", "format": "uri" },
          "additionalProperties": { "type": "boolean" }
        },
        "$comment": { "type": "string" },
        "$defs": { "type": "object", "additionalProperties": { "$recursiveRef": "#" } }
      }
    },
    "applicator": {
      "$id": "meta/applicator", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": {
        "additionalItems": { "$recursiveRef": "#" }, "unevaluatedItems": { "$recursiveRef": "#" },
        "items": { "anyOf": [{ "$recursiveRef": "#" }, { "$ref": "#/$defs/schemas" }] },
        "contains": { "$recursiveRef": "#" },
        "additionalProperties": { "$recursiveRef": "#" }, "unevaluatedProperties": { "$recursiveRef": "#" },
        "properties": { "type": "object", "additionalProperties": { "$recursiveRef": "#" } },
        "patternProperties": {
          "type": "object", "additionalProperties": { "$recursiveRef": "#" }, "propertyNames": { "format": "regex" }
        },
        "dependentSchemas": { "type": "object", "additionalProperties": { "$recursiveRef": "#" } },
        "propertyNames": { "$recursiveRef": "#" },
        "if": { "$recursiveRef": "#" }, "then": { "$recursiveRef": "#" }, "else": { "$recursiveRef": "#" },
        "allOf": { "$ref": "#/$defs/schemas" }, "anyOf": { "$ref": "#/$defs/schemas" },
        "oneOf": { "$ref": "#/$defs/schemas" }, "not": { "$recursiveRef": "#" }
      },
      "$defs": { "schemas": { "type": "array", "minItems": 1, "items": { "$recursiveRef": "#" } } }
    },
    "validation": {
      "$id": "meta/validation", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": {
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
        "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "number" },
        "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "number" },
        "maxLength": { "$ref": "#/$defs/count" }, "minLength": { "$ref": "#/$defs/count" },
        "pattern": { "type": "string", "format": "regex" },
        "maxItems": { "$ref": "#/$defs/count" }, "minItems": { "$ref": "#/$defs/count" },
        "uniqueItems": { "type": "boolean" },
        "maxContains": { "$ref": "#/$defs/count" }, "minContains": { "$ref": "#/$defs/count" },
        "maxProperties": { "$ref": "#/$defs/count" }, "minProperties": { "$ref": "#/$defs/count" },
        "required": { "$ref": "#/$defs/names" },
        "dependentRequired": { "type": "object", "additionalProperties": { "$ref": "#/$defs/names" } },
        "const": true, "enum": { "type": "array" },
        "type": {
          "anyOf": [
            { "$ref": "#/$defs/types" },
            { "type": "array", "items": { "$ref": "#/$defs/types" }, "minItems": 1, "uniqueItems": true }
          ]
        }
      },
      "$defs": {
        "count": { "type": "integer", "minimum": 0 },
        "types": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
        "names": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
      }
    },
    "meta-data": {
      "$id": "meta/meta-data", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": {
        "title": { "type": "string" }, "description": { "type": "string" }, "default": true,
        "deprecated": { "type": "boolean" }, "readOnly": { "type": "boolean" }, "writeOnly": { "type": "boolean" },
        "examples": { "type": "array" }
      }
    },
    "format": {
      "$id": "meta/format", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": { "format": { "type": "string" } }
    },
    "content": {
      "$id": "meta/content", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": {
        "contentMediaType": { "type": "string" }, "contentEncoding": { "type": "string" },
        "contentSchema": { "$recursiveRef": "#" }
      }
    }
  }
}"##;

const DRAFT_2020_12: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://json-schema.org/draft/2020-12/schema",
  "$dynamicAnchor": "meta", "type": ["object", "boolean"],
  "allOf": [
    { "$ref": "meta/core" }, { "$ref": "meta/applicator" }, { "$ref": "meta/unevaluated" },
    { "$ref": "meta/validation" }, { "$ref": "meta/meta-data" }, { "$ref": "meta/format-annotation" },
    { "$ref": "meta/content" }
  ],
  "properties": {
    "definitions": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$dynamicRef": "#meta" }, { "$ref": "meta/validation#/$defs/names" }] }
    },
    "$recursiveAnchor": { "$ref": "meta/core#/$defs/anchor" },
    "$recursiveRef": { "type": "string", "format": "uri-reference" }
  },
  "$defs": {
    "core": {
      "$id": "meta/core", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "$id": { "type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$" },
        "$schema": { "type": "string", "format": "uri" },
        "$ref": { "type": "string", "format": "uri-reference" },
        "$anchor": { "$ref": "#/$defs/anchor" },
        "$dynamicRef": { "type": "string", "format": "uri-reference" },
        "$dynamicAnchor": { "$ref": "#/$defs/anchor" },
        "$vocabulary": {
          "type": "object", "propertyNames": { "type": "string", "format": "uri" },
          "additionalProperties": { "type": "boolean" }
        },
        "$comment": { "type": "string" },
        "$defs": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } }
      },
      "$defs": { "anchor": { "type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$" } }
    },
    "applicator": {
      "$id": "meta/applicator", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "prefixItems": { "$ref": "#/$defs/schemas" }, "items": { "$dynamicRef": "#meta" },
        "contains": { "$dynamicRef": "#meta" }, "additionalProperties": { "$dynamicRef": "#meta" },
        "properties": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
        "patternProperties": {
          "type": "object", "additionalProperties": { "$dynamicRef": "#meta" }, "propertyNames": { "format": "regex" }
        },
        "dependentSchemas": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
        "propertyNames": { "$dynamicRef": "#meta" },
        "if": { "$dynamicRef": "#meta" }, "then": { "$dynamicRef": "#meta" }, "else": { "$dynamicRef": "#meta" },
        "allOf": { "$ref": "#/$defs/schemas" }, "anyOf": { "$ref": "#/$defs/schemas" },
        "oneOf": { "$ref": "#/$defs/schemas" }, "not": { "$dynamicRef": "#meta" }
      },
      "$defs": { "schemas": { "type": "array", "minItems": 1, "items": { "$dynamicRef": "#meta" } } }
    },
    "unevaluated": {
      "$id": "meta/unevaluated", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "unevaluatedItems": { "$dynamicRef": "#meta" }, "unevaluatedProperties": { "$dynamicRef": "#meta" }
      }
    },
    "validation": {
      "$id": "meta/validation", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "type": {
          "anyOf": [
            { "$ref": "#/$defs/types" },
            { "type": "array", "items": { "$ref": "#/$defs/types" }, "minItems": 1, "uniqueItems": true }
          ]
        },
        "const": true, "enum": { "type": "array" },
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
        "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "number" },
        "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "number" },
        "maxLength": { "$ref": "#/$defs/count" }, "minLength": { "$ref": "#/$defs/count" },
        "pattern": { "type": "string", "format": "regex" },
        "maxItems": { "$ref": "#/$defs/count" }, "minItems": { "$ref": "#/$defs/count" },
        "uniqueItems": { "type": "boolean" },
        "maxContains": { "$ref": "#/$defs/count" }, "minContains": { "$ref": "#/$defs/count" },
        "maxProperties": { "$ref": "#/$defs/count" }, "minProperties": { "$ref": "#/$defs/count" },
        "required": { "$ref": "#/$defs/names" },
        "dependentRequired": { "type": "object", "additionalProperties": { "$ref": "#/$defs/names" } }
      },
      "$defs": {
        "count": { "type": "integer", "minimum": 0 },
        "types": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
        "names": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
      }
    },
    "meta-data": {
      "$id": "meta/meta-data", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "title": { "type": "string" }, "description": { "type": "string" }, "default": true,
        "deprecated": { "type": "boolean" }, "readOnly": { "type": "boolean" }, "writeOnly": { "type": "boolean" },
        "examples": { "type": "array" }
      }
    },
    "format": {
      "$id": "meta/format-annotation", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": { "format": { "type": "string" } }
    },
    "content": {
      "$id": "meta/content", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "contentEncoding": { "type": "string" }, "contentMediaType": { "type": "string" },
        "contentSchema": { "$dynamicRef": "#meta" }
      }
    }
  }
}"##;
