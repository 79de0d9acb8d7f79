//! The structural tags that are made for models are those that others make for them.

use serde_json::{Value, json};
use tokenstile_grammar::Limits;
use tokenstile_structural_tag::{PresetOptions, Reasoning, StructuralTag, Tool, ToolChoice};
use tokenstile_structural_tag::{presets, structural_tag_for};
use xgrammar_structural_tag::builders::{ReasoningMode, StructuralTagOptions};
use xgrammar_structural_tag::{Model, build_structural_tag};

/// The models that the crate `xgrammar-structural-tag` knows.
const MODELS: [&str; 20] = [
    "llama",
    "kimi",
    "kimi_k3",
    "deepseek_r1",
    "deepseek_v3_1",
    "deepseek_v3_2",
    "deepseek_v4",
    "deepseek_v4_1",
    "qwen_3",
    "qwen_3_5",
    "qwen_3_coder",
    "mimo",
    "harmony",
    "minimax",
    "minimax_m3",
    "glm_4_7",
    "cohere",
    "exaone",
    "hermes",
    "hy_v3",
];

fn function(name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]});
    json!({"type": "function", "function": {"name": name, "parameters": schema}})
}

/// Lists of tools; the server's tools are for one model only.
fn tool_lists(model: &str) -> Vec<Value> {
    let builtin =
        json!({"type": "web_search_preview", "name": "browser.search", "parameters": {"type": "object"}});
    let nameless = json!({"type": "code_interpreter"});
    let mut loose = function("loose");
    loose["function"]["strict"] = json!(false);
    let missing = json!({"type": "function", "function": {"name": "missing"}});
    let mut lists =
        vec![json!([]), json!([function("search")]), json!([function("search"), function("alt")])];
    lists.extend([json!([loose]), json!([missing, function("search")])]);
    if model == "harmony" {
        lists.extend([json!([builtin.clone()]), json!([function("search"), builtin, nameless])]);
    }
    lists
}

fn choices() -> Vec<Value> {
    let named = |name: &str| json!({"type": "function", "function": {"name": name}});
    let allowed = |mode: &str, names: &[&str]| {
        let tools: Vec<Value> = names.iter().map(|name| named(name)).collect();
        json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}})
    };
    vec![
        json!("auto"),
        json!("none"),
        json!("required"),
        named("search"),
        named("loose"),
        json!({"type": "web_search_preview"}),
        allowed("auto", &["alt"]),
        allowed("required", &["search", "alt"]),
    ]
}

/// What the other crate makes; none if it refuses.
fn expected(model: &str, tools: &Value, choice: &Value, options: &PresetOptions) -> Option<Value> {
    let model: Model = model.parse().unwrap();
    let tools: Vec<_> = serde_json::from_value(tools.clone()).unwrap();
    let reasoning = match options.reasoning {
        Reasoning::Disabled => ReasoningMode::Disabled,
        Reasoning::Auto => ReasoningMode::Auto,
        _ => ReasoningMode::Enabled,
    };
    let options = StructuralTagOptions::default()
        .with_reasoning(reasoning)
        .with_parallel_tool_calls(options.parallel_tool_calls)
        .with_any_order(options.any_order)
        .with_exclude_special_tokens(options.exclude_special_tokens)
        .with_max_whitespace_cnt(options.max_whitespace.map(|count| count as i32));
    let choice = serde_json::from_value(choice.clone()).unwrap();
    let tag = build_structural_tag(model, &tools, choice, options).ok()?;
    let mut tag = serde_json::to_value(tag).unwrap();
    // xgrammar itself excludes the begin of calls here also if special tokens are not excluded.
    let mut format = &mut tag["format"];
    if format["type"] == "sequence" {
        format = format["elements"].as_array_mut().and_then(|elements| elements.last_mut()).unwrap();
    }
    if model == Model::DeepSeekV41 && format["type"] == "any_text" && format["excludes"] == json!([]) {
        format["excludes"] = json!(["<｜DSML｜ calls>"]);
    }
    Some(tag)
}

fn options() -> Vec<PresetOptions> {
    let mut all = Vec::new();
    for reasoning in [Reasoning::Enabled, Reasoning::Disabled, Reasoning::Auto] {
        for flags in 0..8 {
            let mut options = PresetOptions::default();
            options.reasoning = reasoning;
            options.parallel_tool_calls = flags & 1 != 0;
            options.exclude_special_tokens = flags & 2 != 0;
            options.any_order = flags & 4 != 0;
            options.max_whitespace = (flags & 4 != 0).then_some(2);
            all.push(options);
        }
    }
    all
}

#[test]
fn presets_are_those_of_the_other_crate() {
    let limits = Limits::default();
    let mut compared = 0;
    for model in MODELS {
        for tools in tool_lists(model) {
            let ours = Tool::read_all(&tools.to_string(), &limits).unwrap();
            for choice in choices() {
                for mut options in options() {
                    let expected = expected(model, &tools, &choice, &options);
                    options.tool_choice = ToolChoice::from_json(&choice.to_string(), &limits).unwrap();
                    let case = format!("{model} {tools} {choice} {options:?}");
                    match (structural_tag_for(model, &ours, &options), expected) {
                        (Ok(tag), Some(expected)) => {
                            let tag: Value = serde_json::from_str(&tag.to_json()).unwrap();
                            assert_eq!(tag, expected, "{case}");
                            compared += 1;
                        }
                        (Err(_), None) => {}
                        (made, expected) => panic!("{case}: {made:?} {expected:?}"),
                    }
                }
            }
        }
    }
    assert!(compared > 9_500, "{compared}");
}

#[test]
fn presets_are_those_of_vllm() {
    let data: Value = serde_json::from_str(include_str!("data/vllm.json")).unwrap();
    let limits = Limits::default();
    for case in data["cases"].as_array().unwrap() {
        let names = case["tools"].as_array().unwrap().iter();
        let tools: Vec<&Value> = names.map(|name| &data["tools"][name.as_str().unwrap()]).collect();
        let tools = Tool::read_all(&serde_json::to_string(&tools).unwrap(), &limits).unwrap();
        let mut options = PresetOptions::default();
        options.tool_choice = ToolChoice::from_json(&case["tool_choice"].to_string(), &limits).unwrap();
        options.reasoning =
            if case["reasoning"] == json!(true) { Reasoning::Enabled } else { Reasoning::Disabled };
        options.parallel_tool_calls = case["parallel"] == json!(true);
        options.token_suffix = case["suffix"].as_str().unwrap().to_owned();
        let tag = structural_tag_for(case["model"].as_str().unwrap(), &tools, &options).unwrap();
        let tag: Value = serde_json::from_str(&tag.to_json()).unwrap();
        assert_eq!(tag, case["expected"], "{case}");
    }
}

#[test]
fn presets_can_be_read_back() {
    let limits = Limits::default();
    let tools = Tool::read_all(&json!([function("search"), function("alt")]).to_string(), &limits).unwrap();
    let mut options = PresetOptions::default();
    for model in presets() {
        for choice in [ToolChoice::Auto, ToolChoice::Required, ToolChoice::Function("alt".into())] {
            options.tool_choice = choice;
            let tag = structural_tag_for(model, &tools, &options).unwrap();
            assert_eq!(StructuralTag::from_json(&tag.to_json(), &limits), Ok(tag), "{model}");
        }
    }
    assert_eq!(presets().count(), MODELS.len() + 3);
}

#[test]
fn what_has_no_form_is_refused() {
    let limits = Limits::default();
    let builtin = Tool::read_all(r#"[{"type": "web_search_preview"}]"#, &limits).unwrap();
    let options = PresetOptions::default();
    assert!(structural_tag_for("llama", &builtin, &options).is_err());
    assert!(structural_tag_for("no such model", &[], &options).is_err());
    let mut required = PresetOptions::default();
    required.tool_choice = ToolChoice::Required;
    assert!(structural_tag_for("llama", &[], &required).is_err());
    required.tool_choice = ToolChoice::Function("nothing".into());
    assert!(structural_tag_for("llama", &[Tool::function("now", None)], &required).is_err());
}
