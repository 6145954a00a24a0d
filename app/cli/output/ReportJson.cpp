#include "app/cli/output/ReportJson.h"

namespace trainscope::cli {

namespace {

void append(std::string& text, std::int64_t count, const std::string& what) {
    if (count > 0)
        text += ", " + std::to_string(count) + " " + what;
}

} // namespace

Json reportJson(const ImportReport& report) {
    Json json;
    json["importer"] = report.importer;
    json["bytes"] = report.bytes;
    json["rows"] = report.rows;
    json["skipped"] = report.skipped;
    json["samples"] = report.samples;
    json["missing"] = report.missing;
    json["spans"] = report.spans;
    json["counter_falls"] = report.counterFalls;
    json["gaps"] = report.gaps;
    json["ranks_expected"] = report.ranksExpected;
    json["ranks_found"] = report.ranksFound;
    json["counts"] = report.counts;
    json["facts"] = report.facts;
    json["warning_count"] = report.warningCount;
    json["warnings"] = Json::array();
    for (const auto& warning : report.warnings)
        json["warnings"].push_back({{"file", warning.file}, {"line", warning.line},
            {"text", warning.text}, {"files", warning.files}});
    return json;
}

std::string reportText(const ImportReport& report) {
    std::string text = report.importer + ": " + std::to_string(report.rows) + " rows";
    append(text, report.skipped, "skipped");
    append(text, report.samples, "samples");
    append(text, report.missing, "missing");
    append(text, report.spans, "spans");
    append(text, report.counterFalls, "counter falls");
    append(text, report.gaps, "gaps");
    const auto found = static_cast<int>(report.ranksFound.size());
    // A source of one rank says nothing about the others of its run.
    if (found != 1 && report.ranksExpected > 0 && report.ranksExpected != found)
        text += ", " + std::to_string(found) + " of " + std::to_string(report.ranksExpected)
            + " ranks";
    return text;
}

} // namespace trainscope::cli
