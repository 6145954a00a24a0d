#pragma once
// The GPUs of a log as they turn up: from what the rows call them to rank, node and slot of the
// recorder.

#include "importers/nvsmi/Recorder.h"

#include <map>
#include <string>
#include <string_view>

namespace trainscope::importers::nvsmi {

struct Placement {
    int firstRank = 0; // of the first GPU
    int firstNode = 0; // of this file
    int gpusPerNode = 0; // 0: one node only, ranks follow the index without bound
};

class Roster {
public:
    Roster(Recorder& recorder, Placement placement)
        : m_recorder(recorder)
        , m_placement(placement) { }

    struct Identity {
        std::string_view host;
        std::string_view id; // index or any text that stays with the GPU
        std::string_view model;
        std::string_view uuid;
    };
    // The slot of that GPU. Usage error: an index that has no place (message for the row's
    // warning).
    Result<std::size_t> slotOf(const Identity& identity);

private:
    Result<std::size_t> add(const Identity& identity);

    Recorder& m_recorder;
    Placement m_placement;
    std::map<std::string, int, std::less<>> m_hosts; // → node
    std::map<int, int> m_unnumbered; // node → GPUs named without index
    std::map<std::string, std::size_t, std::less<>> m_slots; // by host and id
    std::string m_key; // of the last look-up; kept for its storage
};

} // namespace trainscope::importers::nvsmi
