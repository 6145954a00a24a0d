#include "app/engine/EngineLinking.h"

#include "app/engine/EngineSources.h"
#include "core/model/Try.h"
#include "core/store/RunLinks.h"
#include "core/store/Writing.h"
#include "importers/engine/Link.h"
#include "importers/engine/Moments.h"

namespace trainscope::app {

Status linkEngine(store::Store& store, const EngineRequest& request,
    const importers::engine::Catalogue& catalogue, TimeRange range, const std::string& runName,
    ImportReport& report, const Progress& progress) {
    const std::string source = sourceBase(request, runName);
    ASSIGN_OR_RETURN(const auto session, store::beginImport(store, {source, 0, {}, runName}));
    Run run;
    run.name = runName;
    ASSIGN_OR_RETURN(const RunId id, session->run(run));
    for (const Gpu& gpu : catalogue.roster.gpus()) {
        RETURN_IF_ERROR(session->gpu(id, gpu));
        report.ranksFound.push_back(gpu.rank);
    }
    std::vector<SeriesDescription> series;
    series.reserve(catalogue.channels.size());
    for (const auto& channel : catalogue.channels) {
        series.push_back(channel.description);
        ++report.counts["series:" + channel.description.metric.name];
    }
    auto link
        = importers::engine::linkOf(request.address, {request.selector, range, request.mapping},
            catalogue, importers::engine::isRelative(request.to));
    link.tenant = request.tenant;
    RETURN_IF_ERROR(store::writeLink(
        store, source, {{}, id, request.address.url, textOf(link)}, series, range));
    report.importer += ", linked";
    report.rows = static_cast<std::int64_t>(series.size());
    report.facts["asked"] = askedText(request);
    report.facts["from"] = importers::engine::rfc3339(range.begin);
    report.facts["to"] = importers::engine::rfc3339(range.end);
    report.facts["samples"] = "in the engine; asked for what is shown";
    return session->finish(report, {}, catalogue.wireBytes, progress);
}

} // namespace trainscope::app
