#pragma once
// Launch configurations by what kind of file they are in:
//  - YAML of NeMo and Hydra: `trainer.devices`, `trainer.num_nodes` and a `model` section, at the
//  top
//    or under `cfg`, `config`, `training` or `run` (hparams.yaml, launcher files), and Megatron's
//    argument names at the top level;
//  - TOML of torchtitan, in its sections;
//  - JSON: DeepSpeed configurations (batch, ZeRO stage, precision), Hugging Face config.json (the
//    model's shape), dumped arguments;
//  - Text: logs and argument files, which say what was in force (Arguments.h);
//  - Script: shell scripts with the arguments of a launch command, and the variables they assign;
//  - Environment: `.env`, variables alone.
// A value that the file does not state stays absent; so does an interpolation such as
// ${multiply:...} (a plain ${path} is looked up), null, and DeepSpeed's "auto".

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers::launch {

// In the order of trust, where files of one folder say different things.
enum class LaunchKind { Yaml, Toml, Text, Script, Json, Environment };

// By the name's ending; absent: no launch configuration is looked for in it. JSON files count only
// where their names speak of a configuration, since traces are JSON too.
std::optional<LaunchKind> launchKindOf(std::string_view path);

// `where` becomes the config's origin and names the file in errors. Fails for text that cannot be
// read as that kind, or does not state what a launch configuration would.
Result<LaunchConfig> readLaunch(LaunchKind kind, std::string_view text, const std::string& where);

} // namespace trainscope::importers::launch
