#pragma once
// Launch configurations by what kind of file they are in:
//  - YAML of NeMo and Hydra: `trainer.devices`, `trainer.num_nodes` and a `model` section, at the
//  top
//    or under `cfg`, `config`, `training` or `run` (hparams.yaml, launcher files), and Megatron's
//    argument names at the top level;
//  - JSON: DeepSpeed configurations (batch, ZeRO stage, precision), Hugging Face config.json (the
//    model's shape), dumped arguments;
//  - Text: scripts and logs with Megatron's arguments (Arguments.h).
// A value that the file does not state stays absent; so does an interpolation such as
// ${multiply:...} (a plain ${path} is looked up), null, and DeepSpeed's "auto".

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers::launch {

enum class LaunchKind { Yaml, Json, Text };

// By the name's ending; absent: no launch configuration is looked for in it. JSON files count only
// where their names speak of a configuration, since traces are JSON too.
std::optional<LaunchKind> launchKindOf(std::string_view path);

// `where` becomes the config's origin and names the file in errors. Fails for text that cannot be
// read as that kind, or does not state what a launch configuration would.
Result<LaunchConfig> readLaunch(LaunchKind kind, std::string_view text, const std::string& where);

inline Result<LaunchConfig> readLaunchYaml(std::string_view text, const std::string& where) {
    return readLaunch(LaunchKind::Yaml, text, where);
}

} // namespace trainscope::importers::launch
