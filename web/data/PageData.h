#pragma once
// Data of a page: the tables that its program asks (web/PageDatabase.h has their format), and the
// bytes of chunks in blocks, both plain, to be compressed as a whole. A coarser detail leaves out
// the critical path first, then the finest levels of detail of kernels, then the metrics that are
// not shown first.

#include "core/analysis/RunStudy.h"
#include "core/plot/timeline/TimelineMark.h"
#include "core/store/codec/Bytes.h"

namespace trainscope::web {

struct PageData {
    store::Bytes tables;
    std::vector<store::Bytes> blocks; // by number
    std::vector<std::string> leftOut; // sentences
};

struct PageDetail {
    bool hasPath = true;
    int spanLevel = 0; // pages of this level stand for what lies beneath them
    bool firstMetricsOnly = false;
};
bool makeCoarser(PageDetail& detail); // false: there is nothing left to leave out

// Reads the runs from the studies' store. One thread.
Result<PageData> pageData(const analysis::RunStudies& studies, const std::vector<Run>& runs,
    const PageDetail& detail, const std::vector<plot::TimelineMark>& marks = {});

// For a page that a server answers: the tables to begin with, without rows that have bytes; what
// lies over the lanes, computed from all samples; and the parts that the page's program asks by
// name, in all of the store's runs. NotFound for names that it does not make.
Result<store::Bytes> servedTables(
    const analysis::RunStudies& studies, const std::vector<Run>& runs);
Result<store::Bytes> servedOverlays(
    const analysis::RunStudies& studies, const std::vector<Run>& runs);
Result<store::Bytes> servedPart(const store::Store& store, std::string_view name);

} // namespace trainscope::web
