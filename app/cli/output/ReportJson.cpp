#include "app/cli/output/ReportJson.h"

namespace trainscope::cli {

namespace {

void append(std::string& text, std::int64_t count, const std::string& what) {
    if (count > 0)
        text += ", " + std::to_string(count) + " " + what;
}

} // namespace

Json reportJson(const ImportReport& report) {
    return {{"importer", report.importer}, {"bytes", report.bytes}, {"rows", report.rows},
        {"skipped", report.skipped}, {"samples", report.samples}, {"missing", report.missing},
        {"spans", report.spans}, {"counter_falls", report.counterFalls}, {"gaps", report.gaps},
        {"ranks_expected", report.ranksExpected}, {"ranks_found", report.ranksFound},
        {"counts", report.counts}, {"facts", report.facts}, {"warning_count", report.warningCount},
        {"warnings", listOf(report.warnings, [](const auto& warning) {
             return Json{{"file", warning.file}, {"line", warning.line}, {"text", warning.text},
                 {"files", warning.files}};
         })}};
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
