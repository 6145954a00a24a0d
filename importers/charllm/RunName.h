#pragma once
// What the name of a run folder says: `<model>_<index>_<bitmap>` in optimisation sweeps (from the
// left: compute-communication overlap, activation recomputation, unused bits),
// `<model>_<index>_mbs<n>` in sweeps of the micro-batch. The index is not used: it means another
// layout on another cluster.

#include "core/model/Run.h"

#include <string_view>

namespace trainscope::importers::charllm {

// Fills fields of `launch` that are absent; its origin becomes "folder name" if it was empty.
void applyFolderName(std::string_view folderName, LaunchConfig& launch);

} // namespace trainscope::importers::charllm
