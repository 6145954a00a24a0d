#pragma once
// File names of CharLLM-PPT telemetry: `<metric>_<rank>.csv` for a GPU,
// `system_<metric>_rank_<rank>.csv` and `system_<metric>_rank_<rank>_id_<device>.csv` for the node
// of that rank. The metric stands nowhere else, so the name is needed; the suffix (.csv, .txt,
// .csv.gz, none) is not.

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers {

struct TelemetryName {
    std::string metric; // as in the name, without "system_": "gpu_power", "ib_rx_bytes"
    int rank = 0; // global
    bool isSystem = false; // of the node, not of a GPU
    std::string device; // of a node's link or part: "ib0"; may be empty
    bool isKnown = false; // a metric that CharLLM-PPT writes
};

// `fileName` without folders.
std::optional<TelemetryName> telemetryName(std::string_view fileName);

} // namespace trainscope::importers
