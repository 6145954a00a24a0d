#pragma once
// Identity of GPUs as sources state it. Hosts and PCI addresses are facts of a source's report,
// which the database keeps: "host", or "hosts" by rank ("0=a, 1=b"), and "PCI addresses" likewise;
// recordings name each by its index in the node ("GPU 0 pci").
//
// A UUID is one in the world. A PCI address and an index are one on a host, which both sources must
// name; nodes of one type have the same addresses. An address alone can tell GPUs apart, not prove
// that two are one.

#include "importers/common/Importer.h"

namespace trainscope::importers {

// GPU families by their usual names, as people write them into the names of folders:
// "optimization-sweep-h200" → h200.

// True when `word` stands in `text` as a whole word: "job-gpt3_3" but not "gpt3_31".
bool standsAsWord(std::string_view text, std::string_view word);

// Lower case, each at most once; letter case of the name is ignored.
std::vector<std::string_view> gpuFamiliesIn(std::string_view folderName);

// Family in the innermost folder of the path that names exactly one ("H200"); empty: none does.
std::string gpuFamilyOfPath(std::string_view path);

enum class GpuId { Uuid, AddressOnHost, IndexOnHost, Address };
// The GPUs of a source by each kind of identity. Addresses alone only where it has one node.
using GpuIds = std::array<std::map<std::string, PlaceInRun>, 4>;

// By rank.
using ToldByRank = std::map<int, std::string>;
void tellGpus(ImportReport& report, const ToldByRank& hosts, const ToldByRank& addresses);
// Moves the ranks of those facts.
void moveTold(std::map<std::string, std::string>& facts, int ranks);

// `gpus` of a source with these facts; adds to `ids`.
void identify(
    const std::vector<Gpu>& gpus, const std::map<std::string, std::string>& facts, GpuIds& ids);

// UUIDs or addresses, however they are written: "GPU-5d7e…", "00000000:1B:00.0".
bool areSameGpu(std::string_view a, std::string_view b);

} // namespace trainscope::importers
