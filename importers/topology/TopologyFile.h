#pragma once
// Topologies of a node as files: NCCL's and RCCL's XML (NCCL_TOPO_DUMP_FILE, vendors' topology
// files; nccl/src/graph/xml.cc) and the matrix of `nvidia-smi topo -m`, with or without terminal
// colours. A text's content says its kind.

#include "core/catalogue/GpuModel.h"
#include "core/layout/Topology.h"

namespace trainscope::importers::topology {

struct TopologyFile {
    std::string format; // "NCCL topology", "nvidia-smi topo -m"
    layout::Topology topology;
    std::vector<std::string> warnings; // lines that could not be understood, or contradict others
    bool hasSpeeds = false; // for links and network cards
    catalogue::Vendor vendor = catalogue::Vendor::Unknown; // the GPUs'
};

// `where` names the file in errors. Unrecognised for text that is neither, Unreadable for XML that
// ends in the middle or is broken.
Result<TopologyFile> readTopology(std::string_view text, const std::string& where);

Result<TopologyFile> readNcclXml(std::string_view text, const std::string& where);
Result<TopologyFile> readSmiMatrix(std::string_view text, const std::string& where);

} // namespace trainscope::importers::topology
