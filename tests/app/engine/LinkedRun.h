#pragma once
// A database of a stranger that links a run to an engine, by whatever its writer chose.

#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/store/RunLinks.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"
#include "importers/engine/Link.h"

#include <filesystem>
#include <string>
#include <vector>

namespace trainscope::test {

// One GPU with its power over a minute, read from that address.
inline importers::engine::Link linkTo(const std::string& url) {
    using namespace importers::engine;
    Link link;
    link.address = {url};
    link.range = {{1'795'341'600'000'000'000}, {1'795'341'660'000'000'000}};
    link.nodes = {"n1"};
    link.metrics = {{"DCGM_FI_DEV_POWER_USAGE", *findMetric(metric::kGpuPower), 1.0,
        SubjectKind::Gpu, 1, "UUID", "Hostname"}};
    return link;
}

inline Status writeLinkedRun(
    const std::filesystem::path& path, const importers::engine::Link& link) {
    ASSIGN_OR_RETURN(auto store, store::Store::openOrCreate(path));
    const std::string source = "prom+http://somewhere/?match={}&run=linked";
    ASSIGN_OR_RETURN(const auto session, store::beginImport(store, {source, 0, {}, "linked"}));
    Run run;
    run.name = "linked";
    ASSIGN_OR_RETURN(const RunId id, session->run(run));
    RETURN_IF_ERROR(session->gpu(id, {0, 0, 0, "NVIDIA H100", "GPU-0"}));
    SeriesDescription power;
    power.metric = *findMetric(metric::kGpuPower);
    power.subject.rank = 0;
    power.subject.node = 0;
    const std::vector<SeriesDescription> series{power};
    RETURN_IF_ERROR(store::writeLink(
        store, source, {{}, id, "http://somewhere", textOf(link)}, series, link.range));
    ImportReport report;
    report.importer = "engine 1, linked";
    return session->finish(report, {}, 0, {});
}

} // namespace trainscope::test
