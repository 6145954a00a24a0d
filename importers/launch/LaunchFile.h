#pragma once
// Launch configurations of NeMo and Hydra: one YAML with `trainer.devices`, `trainer.num_nodes` and
// a `model` section, at the top or under `cfg`, `config`, `training` or `run` (hparams.yaml,
// launcher files), and Megatron's argument names at the top level. A value that the file does not
// state stays absent; so does an interpolation such as ${multiply:...} (a plain ${path} is looked
// up), and null.

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <string>
#include <string_view>

namespace trainscope::importers::launch {

// `where` becomes the config's origin and names the file in errors. Fails for text that is not
// YAML, or that states none of the fields. The data-parallel degree is nodes × GPUs per node / (TP
// × PP × CP) where the file gives the factors and they divide.
Result<LaunchConfig> readLaunchYaml(std::string_view text, const std::string& where);

} // namespace trainscope::importers::launch
