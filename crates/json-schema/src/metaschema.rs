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
    "schemaArray": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "schemaMap": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "schemaOrBoolean": { "anyOf": [{ "type": "boolean" }, { "$ref": "#" }] },
    "positiveInteger": { "type": "integer", "minimum": 0 },
    "positiveIntegerDefault0": { "allOf": [{ "$ref": "#/definitions/positiveInteger" }] },
    "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "stringArray": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "string" } }
  },
  "type": "object",
  "properties": {
    "id": { "type": "string" }, "$schema": { "type": "string" }, "title": { "type": "string" },
    "description": { "type": "string" }, "default": {}, "format": { "type": "string" },
    "multipleOf": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
    "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "boolean" },
    "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "boolean" },
    "maxLength": { "$ref": "#/definitions/positiveInteger" },
    "minLength": { "$ref": "#/definitions/positiveInteger" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#/definitions/schemaOrBoolean" },
    "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemaArray" }] },
    "maxItems": { "$ref": "#/definitions/positiveInteger" },
    "minItems": { "$ref": "#/definitions/positiveInteger" },
    "uniqueItems": { "type": "boolean" },
    "maxProperties": { "$ref": "#/definitions/positiveInteger" },
    "minProperties": { "$ref": "#/definitions/positiveInteger" },
    "required": { "$ref": "#/definitions/stringArray" },
    "additionalProperties": { "$ref": "#/definitions/schemaOrBoolean" },
    "definitions": { "$ref": "#/definitions/schemaMap" },
    "properties": { "$ref": "#/definitions/schemaMap" },
    "patternProperties": { "$ref": "#/definitions/schemaMap" },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/stringArray" }] }
    },
    "enum": { "type": "array", "minItems": 1, "uniqueItems": true },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/simpleTypes" },
        { "type": "array", "items": { "$ref": "#/definitions/simpleTypes" },
        "minItems": 1, "uniqueItems": true }
      ]
    },
    "allOf": { "$ref": "#/definitions/schemaArray" }, "anyOf": { "$ref": "#/definitions/schemaArray" },
    "oneOf": { "$ref": "#/definitions/schemaArray" }, "not": { "$ref": "#" }
  },
  "dependencies": { "exclusiveMaximum": ["maximum"], "exclusiveMinimum": ["minimum"] }
}"##;

const DRAFT_6: &str = r##"{
  "$schema": "http://json-schema.org/draft-06/schema#", "$id": "http://json-schema.org/draft-06/schema#",
  "definitions": {
    "schemaArray": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "schemaMap": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "nonNegativeInteger": { "type": "integer", "minimum": 0 },
    "nonNegativeIntegerDefault0": { "allOf": [{ "$ref": "#/definitions/nonNegativeInteger" }] },
    "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "stringArray": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
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
    "maxLength": { "$ref": "#/definitions/nonNegativeInteger" },
    "minLength": { "$ref": "#/definitions/nonNegativeInteger" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#" },
    "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemaArray" }] },
    "maxItems": { "$ref": "#/definitions/nonNegativeInteger" },
    "minItems": { "$ref": "#/definitions/nonNegativeInteger" },
    "uniqueItems": { "type": "boolean" }, "contains": { "$ref": "#" },
    "maxProperties": { "$ref": "#/definitions/nonNegativeInteger" },
    "minProperties": { "$ref": "#/definitions/nonNegativeInteger" },
    "required": { "$ref": "#/definitions/stringArray" },
    "additionalProperties": { "$ref": "#" }, "propertyNames": { "$ref": "#" },
    "definitions": { "$ref": "#/definitions/schemaMap" },
    "properties": { "$ref": "#/definitions/schemaMap" },
    "patternProperties": { "$ref": "#/definitions/schemaMap" },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/stringArray" }] }
    },
    "enum": { "type": "array" },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/simpleTypes" },
        { "type": "array", "items": { "$ref": "#/definitions/simpleTypes" },
        "minItems": 1, "uniqueItems": true }
      ]
    },
    "allOf": { "$ref": "#/definitions/schemaArray" }, "anyOf": { "$ref": "#/definitions/schemaArray" },
    "oneOf": { "$ref": "#/definitions/schemaArray" }, "not": { "$ref": "#" }
  }
}"##;

const DRAFT_7: &str = r##"{
  "$schema": "http://json-schema.org/draft-07/schema#", "$id": "http://json-schema.org/draft-07/schema#",
  "definitions": {
    "schemaArray": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
    "schemaMap": { "type": "object", "additionalProperties": { "$ref": "#" } },
    "nonNegativeInteger": { "type": "integer", "minimum": 0 },
    "nonNegativeIntegerDefault0": { "allOf": [{ "$ref": "#/definitions/nonNegativeInteger" }] },
    "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
    "stringArray": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
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
    "maxLength": { "$ref": "#/definitions/nonNegativeInteger" },
    "minLength": { "$ref": "#/definitions/nonNegativeInteger" },
    "pattern": { "type": "string", "format": "regex" },
    "additionalItems": { "$ref": "#" },
    "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemaArray" }] },
    "maxItems": { "$ref": "#/definitions/nonNegativeInteger" },
    "minItems": { "$ref": "#/definitions/nonNegativeInteger" },
    "uniqueItems": { "type": "boolean" }, "contains": { "$ref": "#" },
    "maxProperties": { "$ref": "#/definitions/nonNegativeInteger" },
    "minProperties": { "$ref": "#/definitions/nonNegativeInteger" },
    "required": { "$ref": "#/definitions/stringArray" },
    "additionalProperties": { "$ref": "#" }, "propertyNames": { "$ref": "#" },
    "definitions": { "$ref": "#/definitions/schemaMap" },
    "properties": { "$ref": "#/definitions/schemaMap" },
    "patternProperties": {
      "type": "object", "additionalProperties": { "$ref": "#" }, "propertyNames": { "format": "regex" }
    },
    "dependencies": {
      "type": "object",
      "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/stringArray" }] }
    },
    "enum": { "type": "array" },
    "type": {
      "anyOf": [
        { "$ref": "#/definitions/simpleTypes" },
        { "type": "array", "items": { "$ref": "#/definitions/simpleTypes" },
        "minItems": 1, "uniqueItems": true }
      ]
    },
    "if": { "$ref": "#" }, "then": { "$ref": "#" }, "else": { "$ref": "#" },
    "allOf": { "$ref": "#/definitions/schemaArray" }, "anyOf": { "$ref": "#/definitions/schemaArray" },
    "oneOf": { "$ref": "#/definitions/schemaArray" }, "not": { "$ref": "#" }
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
      "additionalProperties": { "anyOf": [{ "$recursiveRef": "#" }, { "$ref": "meta/validation#/$defs/stringArray" }] }
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
        "items": { "anyOf": [{ "$recursiveRef": "#" }, { "$ref": "#/$defs/schemaArray" }] },
        "contains": { "$recursiveRef": "#" },
        "additionalProperties": { "$recursiveRef": "#" }, "unevaluatedProperties": { "$recursiveRef": "#" },
        "properties": { "type": "object", "additionalProperties": { "$recursiveRef": "#" } },
        "patternProperties": {
          "type": "object", "additionalProperties": { "$recursiveRef": "#" }, "propertyNames": { "format": "regex" }
        },
        "dependentSchemas": { "type": "object", "additionalProperties": { "$recursiveRef": "#" } },
        "propertyNames": { "$recursiveRef": "#" },
        "if": { "$recursiveRef": "#" }, "then": { "$recursiveRef": "#" }, "else": { "$recursiveRef": "#" },
        "allOf": { "$ref": "#/$defs/schemaArray" }, "anyOf": { "$ref": "#/$defs/schemaArray" },
        "oneOf": { "$ref": "#/$defs/schemaArray" }, "not": { "$recursiveRef": "#" }
      },
      "$defs": { "schemaArray": { "type": "array", "minItems": 1, "items": { "$recursiveRef": "#" } } }
    },
    "validation": {
      "$id": "meta/validation", "$recursiveAnchor": true, "type": ["object", "boolean"],
      "properties": {
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
        "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "number" },
        "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "number" },
        "maxLength": { "$ref": "#/$defs/nonNegativeInteger" },
        "minLength": { "$ref": "#/$defs/nonNegativeInteger" },
        "pattern": { "type": "string", "format": "regex" },
        "maxItems": { "$ref": "#/$defs/nonNegativeInteger" },
        "minItems": { "$ref": "#/$defs/nonNegativeInteger" },
        "uniqueItems": { "type": "boolean" },
        "maxContains": { "$ref": "#/$defs/nonNegativeInteger" },
        "minContains": { "$ref": "#/$defs/nonNegativeInteger" },
        "maxProperties": { "$ref": "#/$defs/nonNegativeInteger" },
        "minProperties": { "$ref": "#/$defs/nonNegativeInteger" },
        "required": { "$ref": "#/$defs/stringArray" },
        "dependentRequired": { "type": "object", "additionalProperties": { "$ref": "#/$defs/stringArray" } },
        "const": true, "enum": { "type": "array" },
        "type": {
          "anyOf": [
            { "$ref": "#/$defs/simpleTypes" },
            { "type": "array", "items": { "$ref": "#/$defs/simpleTypes" }, "minItems": 1, "uniqueItems": true }
          ]
        }
      },
      "$defs": {
        "nonNegativeInteger": { "type": "integer", "minimum": 0 },
        "nonNegativeIntegerDefault0": { "allOf": [{ "$ref": "#/$defs/nonNegativeInteger" }] },
        "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
        "stringArray": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
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
      "additionalProperties": { "anyOf": [{ "$dynamicRef": "#meta" }, { "$ref": "meta/validation#/$defs/stringArray" }] }
    },
    "$recursiveAnchor": { "$ref": "meta/core#/$defs/anchorString" },
    "$recursiveRef": { "type": "string", "format": "uri-reference" }
  },
  "$defs": {
    "core": {
      "$id": "meta/core", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "$id": { "type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$" },
        "$schema": { "type": "string", "format": "uri" },
        "$ref": { "type": "string", "format": "uri-reference" },
        "$anchor": { "$ref": "#/$defs/anchorString" },
        "$dynamicRef": { "type": "string", "format": "uri-reference" },
        "$dynamicAnchor": { "$ref": "#/$defs/anchorString" },
        "$vocabulary": {
          "type": "object", "propertyNames": { "type": "string", "format": "uri" },
          "additionalProperties": { "type": "boolean" }
        },
        "$comment": { "type": "string" },
        "$defs": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } }
      },
      "$defs": { "anchorString": { "type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$" } }
    },
    "applicator": {
      "$id": "meta/applicator", "$dynamicAnchor": "meta", "type": ["object", "boolean"],
      "properties": {
        "prefixItems": { "$ref": "#/$defs/schemaArray" }, "items": { "$dynamicRef": "#meta" },
        "contains": { "$dynamicRef": "#meta" }, "additionalProperties": { "$dynamicRef": "#meta" },
        "properties": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
        "patternProperties": {
          "type": "object", "additionalProperties": { "$dynamicRef": "#meta" }, "propertyNames": { "format": "regex" }
        },
        "dependentSchemas": { "type": "object", "additionalProperties": { "$dynamicRef": "#meta" } },
        "propertyNames": { "$dynamicRef": "#meta" },
        "if": { "$dynamicRef": "#meta" }, "then": { "$dynamicRef": "#meta" }, "else": { "$dynamicRef": "#meta" },
        "allOf": { "$ref": "#/$defs/schemaArray" }, "anyOf": { "$ref": "#/$defs/schemaArray" },
        "oneOf": { "$ref": "#/$defs/schemaArray" }, "not": { "$dynamicRef": "#meta" }
      },
      "$defs": { "schemaArray": { "type": "array", "minItems": 1, "items": { "$dynamicRef": "#meta" } } }
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
            { "$ref": "#/$defs/simpleTypes" },
            { "type": "array", "items": { "$ref": "#/$defs/simpleTypes" }, "minItems": 1, "uniqueItems": true }
          ]
        },
        "const": true, "enum": { "type": "array" },
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
        "maximum": { "type": "number" }, "exclusiveMaximum": { "type": "number" },
        "minimum": { "type": "number" }, "exclusiveMinimum": { "type": "number" },
        "maxLength": { "$ref": "#/$defs/nonNegativeInteger" },
        "minLength": { "$ref": "#/$defs/nonNegativeInteger" },
        "pattern": { "type": "string", "format": "regex" },
        "maxItems": { "$ref": "#/$defs/nonNegativeInteger" },
        "minItems": { "$ref": "#/$defs/nonNegativeInteger" },
        "uniqueItems": { "type": "boolean" },
        "maxContains": { "$ref": "#/$defs/nonNegativeInteger" },
        "minContains": { "$ref": "#/$defs/nonNegativeInteger" },
        "maxProperties": { "$ref": "#/$defs/nonNegativeInteger" },
        "minProperties": { "$ref": "#/$defs/nonNegativeInteger" },
        "required": { "$ref": "#/$defs/stringArray" },
        "dependentRequired": { "type": "object", "additionalProperties": { "$ref": "#/$defs/stringArray" } }
      },
      "$defs": {
        "nonNegativeInteger": { "type": "integer", "minimum": 0 },
        "nonNegativeIntegerDefault0": { "allOf": [{ "$ref": "#/$defs/nonNegativeInteger" }] },
        "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
        "stringArray": { "type": "array", "uniqueItems": true, "items": { "type": "string" } }
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
