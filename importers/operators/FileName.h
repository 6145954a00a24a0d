#pragma once
// The name of a file of timings: NVIDIAA100-SXM4-80GB_allreduce_large_fp16_2_4.csv. Pure.

#include <string>
#include <string_view>

namespace trainscope::importers::operators {

struct FileName {
    std::string gpu; // "NVIDIAA100-SXM4-80GB"
    std::string work; // "allreduce_large"; empty: the errors of the source's own models
};

// By the path; the name is cut at the precision, where what follows are nodes and GPUs per node.
FileName fileNameOf(std::string_view path);
// The fabric that the folder names: its name without "nccl_" or "rccl_" before it.
std::string fabricOf(std::string_view path);

} // namespace trainscope::importers::operators
