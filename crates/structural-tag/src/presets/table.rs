//! The chat formats of models, as data.

use crate::format::Style;

/// The chat format of a model: how it writes calls of tools, the text beside them, and what it thinks.
pub(super) struct Preset {
    pub(super) name: &'static str,
    /// The ways in which a call can be written.
    pub(super) calls: &'static [Call],
    /// How the arguments of a call are written.
    pub(super) style: Style,
    /// Where calls stand.
    pub(super) place: Place,
    /// What is not in the text beside calls.
    pub(super) text: &'static [&'static str],
    /// What is not in text without calls.
    pub(super) alone: &'static [&'static str],
    /// What is not in text without calls, even if special tokens are not excluded.
    pub(super) never: &'static [&'static str],
    pub(super) thought: Option<Thought>,
}

/// How a call is written. `{name}` stands for the name of its tool.
pub(super) struct Call {
    pub(super) begin: &'static str,
    /// The call has a number behind its begin; this is between the number and the arguments.
    pub(super) numbered: Option<&'static str>,
    pub(super) end: &'static str,
}

/// Where calls stand.
pub(super) enum Place {
    /// Each by itself in the text, where this begins it.
    Text { trigger: &'static str },
    /// The same, and if there must be calls there is no text between them.
    Row { trigger: &'static str },
    /// In a section of its own.
    Section(Section),
}

/// A section of calls.
pub(super) struct Section {
    pub(super) trigger: &'static str,
    pub(super) begin: &'static str,
    pub(super) separator: &'static str,
    pub(super) end: &'static str,
    pub(super) required: Required,
}

/// How a section is written that must be there.
pub(super) enum Required {
    /// With these texts around the calls.
    Between(&'static str, &'static str),
    /// As a tag.
    Tag,
    /// As a tag with text behind it.
    Triggered,
}

/// How a model writes what it thinks.
pub(super) struct Thought {
    pub(super) begin: &'static str,
    pub(super) end: &'static str,
    /// What comes behind the end.
    pub(super) suffix: &'static str,
    /// What is not in a thought that is there, and in one that may be there.
    pub(super) excludes: [&'static [&'static str]; 2],
    /// The prompt has the begin already.
    pub(super) prompted: bool,
    /// What is written instead of a thought.
    pub(super) instead: &'static [&'static str],
    /// The end may stand alone, where a thought may be there.
    pub(super) end_alone: bool,
}

const THINK: &[&str] = &["<think>", "</think>"];

/// A thought between `<think>` and `</think>`.
const THOUGHT: Thought = Thought {
    begin: "<think>",
    end: "</think>",
    suffix: "",
    excludes: [THINK, THINK],
    prompted: true,
    instead: &[],
    end_alone: false,
};
const THOUGHT_AND_LINES: Thought = Thought { suffix: "\n\n", ..THOUGHT };

/// Most models: one form of a call with JSON in it, and no `<think>` in text.
const USUAL: Preset = Preset {
    name: "",
    calls: &[],
    style: Style::Json,
    place: Place::Text { trigger: "" },
    text: THINK,
    alone: THINK,
    never: &[],
    thought: Some(THOUGHT),
};

const fn call(begin: &'static str, end: &'static str) -> Call {
    Call { begin, numbered: None, end }
}

const QWEN_XML: Preset = Preset {
    name: "qwen_3_5",
    calls: &[call("<tool_call>\n<function={name}>\n", "\n</function>\n</tool_call>")],
    style: Style::QwenXml,
    place: Place::Text { trigger: "<tool_call>\n<function=" },
    thought: Some(THOUGHT_AND_LINES),
    ..USUAL
};

const DEEPSEEK_V4: Preset = Preset {
    name: "deepseek_v4",
    calls: &[call("<｜DSML｜invoke name=\"{name}\">\n", "</｜DSML｜invoke>\n")],
    style: Style::DeepseekXml,
    place: Place::Section(Section {
        trigger: "<｜DSML｜tool_calls>",
        begin: "<｜DSML｜tool_calls>\n",
        separator: "",
        end: "</｜DSML｜tool_calls>",
        required: Required::Between("\n\n<｜DSML｜tool_calls>\n", "</｜DSML｜tool_calls>"),
    }),
    ..USUAL
};

const HERMES: Preset = Preset {
    name: "hermes",
    calls: &[
        call("<tool_call>\n{\"name\": \"{name}\", \"arguments\": ", "}\n</tool_call>"),
        call("<tool_call>{\"name\": \"{name}\", \"arguments\": ", "}</tool_call>"),
    ],
    place: Place::Row { trigger: "<tool_call>" },
    text: &[],
    alone: &[],
    thought: None,
    ..USUAL
};

/// What is not in the text of GLM beside calls: all of its marks but the begin of a call.
const GLM_TEXT: &[&str] =
    &["<think>", "</think>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"];
const GLM_ALL: &[&str] = &[
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
];
const MIMO_ALL: &[&str] = &["<tool_call>", "<think>", "</think>", "</tool_call>", "<function="];
const MIMO_TEXT: &[&str] = &["<think>", "</think>", "</tool_call>", "<function="];
const M3_TEXT: &[&str] = &[
    "<mm:think>",
    "</mm:think>",
    "]<]minimax[>[</tool_call>",
    "]<]minimax[>[<invoke",
    "]<]minimax[>[</invoke>",
];
const M3_ALL: &[&str] = &[
    "]<]minimax[>[<tool_call>",
    "<mm:think>",
    "</mm:think>",
    "]<]minimax[>[</tool_call>",
    "]<]minimax[>[<invoke",
    "]<]minimax[>[</invoke>",
];
const COHERE_THINK: &[&str] = &["<|START_THINKING|>", "<|END_THINKING|>"];

/// The models whose chat format is data.
pub(super) static PRESETS: [Preset; 19] = [
    Preset {
        name: "llama",
        calls: &[call("{\"name\": \"{name}\", \"parameters\": ", "}")],
        place: Place::Text { trigger: "{\"name\": " },
        thought: None,
        ..USUAL
    },
    Preset {
        name: "kimi",
        calls: &[Call {
            begin: "<|tool_call_begin|>functions.{name}:",
            numbered: Some("<|tool_call_argument_begin|>"),
            end: "<|tool_call_end|>",
        }],
        place: Place::Section(Section {
            trigger: "<|tool_calls_section_begin|>",
            begin: "<|tool_calls_section_begin|>",
            separator: "",
            end: "<|tool_calls_section_end|>",
            required: Required::Between("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        }),
        text: &["<think>", "</think>", "<|tool_call_begin|>"],
        thought: Some(Thought { excludes: [&[], THINK], ..THOUGHT }),
        ..USUAL
    },
    Preset {
        name: "deepseek_r1",
        calls: &[call(
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
            "\n```<｜tool▁call▁end｜>",
        )],
        place: Place::Section(Section {
            trigger: "<｜tool▁calls▁begin｜>",
            begin: "<｜tool▁calls▁begin｜>",
            separator: "\n",
            end: "<｜tool▁calls▁end｜>",
            required: Required::Tag,
        }),
        ..USUAL
    },
    Preset {
        name: "deepseek_v3_1",
        calls: &[call("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>", "<｜tool▁call▁end｜>")],
        place: Place::Section(Section {
            trigger: "<｜tool▁calls▁begin｜>",
            begin: "<｜tool▁calls▁begin｜>",
            separator: "",
            end: "<｜tool▁calls▁end｜>",
            required: Required::Tag,
        }),
        ..USUAL
    },
    Preset {
        name: "deepseek_v3_2",
        place: Place::Section(Section {
            trigger: "<｜DSML｜function_calls>",
            begin: "<｜DSML｜function_calls>\n",
            separator: "",
            end: "</｜DSML｜function_calls>",
            required: Required::Between("\n\n<｜DSML｜function_calls>\n", "</｜DSML｜function_calls>"),
        }),
        ..DEEPSEEK_V4
    },
    DEEPSEEK_V4,
    Preset {
        name: "deepseek_v4_1",
        calls: &[call("<｜DSML｜ invoke name=\"{name}\">\n", "</｜DSML｜ invoke>\n")],
        style: Style::DeepseekV41Xml,
        place: Place::Section(Section {
            trigger: "<｜DSML｜ calls>",
            begin: "<｜DSML｜ calls>\n",
            separator: "",
            end: "</｜DSML｜ calls>",
            required: Required::Between("\n\n<｜DSML｜ calls>\n", "</｜DSML｜ calls>"),
        }),
        never: &["<｜DSML｜ calls>"],
        ..DEEPSEEK_V4
    },
    Preset {
        name: "qwen_3",
        calls: &[call("<tool_call>\n{\"name\": \"{name}\", \"arguments\": ", "}\n</tool_call>")],
        place: Place::Text { trigger: "<tool_call>" },
        thought: Some(THOUGHT_AND_LINES),
        ..USUAL
    },
    QWEN_XML,
    Preset { name: "qwen_3_coder", ..QWEN_XML },
    Preset {
        name: "mimo",
        calls: &[call("<tool_call><function={name}>", "</function></tool_call>")],
        style: Style::QwenXml,
        place: Place::Text { trigger: "<tool_call>" },
        text: MIMO_TEXT,
        alone: MIMO_ALL,
        thought: Some(Thought { excludes: [MIMO_ALL, MIMO_ALL], prompted: false, ..THOUGHT }),
        ..USUAL
    },
    Preset {
        name: "minimax",
        calls: &[call("<invoke name=\"{name}\">\n", "</invoke>\n")],
        style: Style::MinimaxXml,
        place: Place::Section(Section {
            trigger: "<minimax:tool_call>",
            begin: "<minimax:tool_call>\n",
            separator: "",
            end: "</minimax:tool_call>",
            required: Required::Between("\n<minimax:tool_call>\n", "</minimax:tool_call>"),
        }),
        thought: Some(Thought {
            excludes: [&[], THINK],
            instead: &["\n</think>\n\n", "\n\n"],
            ..THOUGHT_AND_LINES
        }),
        ..USUAL
    },
    Preset {
        name: "minimax_m3",
        calls: &[call("]<]minimax[>[<invoke name=\"{name}\">", "]<]minimax[>[</invoke>\n")],
        style: Style::MinimaxM3Xml,
        place: Place::Section(Section {
            trigger: "]<]minimax[>[<tool_call>",
            begin: "]<]minimax[>[<tool_call>\n",
            separator: "",
            end: "]<]minimax[>[</tool_call>",
            required: Required::Triggered,
        }),
        text: M3_TEXT,
        alone: M3_ALL,
        thought: Some(Thought {
            begin: "<mm:think>",
            end: "</mm:think>",
            excludes: [M3_ALL, M3_ALL],
            end_alone: true,
            ..THOUGHT
        }),
        ..USUAL
    },
    Preset {
        name: "glm_4_7",
        calls: &[call("<tool_call>{name}", "</tool_call>")],
        style: Style::GlmXml,
        place: Place::Text { trigger: "<tool_call>" },
        text: GLM_TEXT,
        alone: GLM_ALL,
        thought: Some(Thought { excludes: [GLM_ALL, GLM_ALL], ..THOUGHT }),
        ..USUAL
    },
    Preset {
        name: "cohere",
        calls: &[Call {
            begin: "<cofl:tool_call id=\"",
            numbered: Some("\" name=\"{name}\">"),
            end: "</cofl:tool_call>",
        }],
        style: Style::CohereXml,
        place: Place::Section(Section {
            trigger: "<cofl:tool_calls>",
            begin: "<cofl:tool_calls>",
            separator: "",
            end: "</cofl:tool_calls>",
            required: Required::Between("<cofl:tool_calls>", "</cofl:tool_calls>"),
        }),
        text: COHERE_THINK,
        alone: COHERE_THINK,
        thought: Some(Thought {
            begin: "<|START_THINKING|>",
            end: "<|END_THINKING|>",
            excludes: [&[], COHERE_THINK],
            ..THOUGHT
        }),
        ..USUAL
    },
    Preset {
        name: "exaone",
        calls: &[call("<tool_call>{\"name\": \"{name}\", \"arguments\": ", "}</tool_call>")],
        place: Place::Text { trigger: "<tool_call>" },
        thought: Some(Thought { excludes: [&[], THINK], ..THOUGHT_AND_LINES }),
        ..USUAL
    },
    HERMES,
    Preset {
        name: "longcat",
        calls: &[
            call("<longcat_tool_call>\n{\"name\": \"{name}\", \"arguments\": ", "}\n</longcat_tool_call>"),
            call("<longcat_tool_call>{\"name\": \"{name}\", \"arguments\": ", "}</longcat_tool_call>"),
        ],
        place: Place::Row { trigger: "<longcat_tool_call>" },
        ..HERMES
    },
    Preset {
        name: "hy_v3",
        calls: &[call("<tool_call>{name}<tool_sep>", "</tool_call>")],
        style: Style::GlmXml,
        place: Place::Section(Section {
            trigger: "<tool_calls>",
            begin: "<tool_calls>\n",
            separator: "\n",
            end: "</tool_calls>",
            required: Required::Between("<tool_calls>\n", "\n</tool_calls>"),
        }),
        text: &[],
        alone: &[],
        thought: None,
        ..USUAL
    },
];
