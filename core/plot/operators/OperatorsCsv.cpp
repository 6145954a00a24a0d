#include "core/plot/operators/OperatorsFigure.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Table.h"

namespace trainscope::plot {

namespace {

using analysis::WorkEfficiency;
using text::Cell;

constexpr const char* kWorkHeads
    = "flop (FLOP),bytes (B),speed (FLOP/s),memory (B/s),intensity (FLOP/B),roofline fraction,"
      "could be saved (s)";

void addWork(std::vector<Cell>& cells, const WorkEfficiency& known) {
    for (const auto& value : {known.flop, known.bytes, known.flopPerSecond, known.bytesPerSecond,
             known.intensity, known.rooflineFraction, known.savable})
        cells.emplace_back(value);
}

Cell rankCell(const std::optional<int>& rank) {
    return rank ? Cell(*rank) : Cell("all");
}

} // namespace

std::string flameCsv(const FlameFigureData& data) {
    const bool isOfHost = data.work && data.work->tree.isOfHost;
    std::string csv = std::string("run,rank,depth,kind,pass,frame,inputs,calls,")
        + (isOfHost ? "works," : "kernels,") + std::string(timeTitle(isOfHost))
        + " (s),busy (s),own time (s),host time (s)," + kWorkHeads + "\n";
    if (!data.work)
        return csv;
    const analysis::CallTree& tree = data.work->tree;
    std::vector<int> depths;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const analysis::CallNode& node = tree.nodes[i];
        const bool isRoot = node.parent == analysis::CallNode::kNone;
        depths.push_back(isRoot ? 0 : depths[node.parent] + 1);
        std::vector<Cell> cells{data.head.runName, rankCell(data.head.rank), depths.back(),
            toString(node.kind), toString(node.pass),
            isRoot ? std::string() : tree.names[node.name],
            analysis::shapeText(
                tree.signatures.empty() ? std::string() : tree.signatures[node.signature]),
            node.sums.calls, node.sums.works, node.sums.time, node.sums.busy, node.sums.ownTime,
            node.sums.hostTime};
        addWork(
            cells, data.work->efficiencies.empty() ? WorkEfficiency() : data.work->efficiencies[i]);
        text::addCsvLine(csv, cells);
    }
    return csv;
}

std::string operatorsCsv(
    const OperatorsHead& head, const std::vector<MeasuredOperator>& operators) {
    std::string csv = std::string("run,rank,name,inputs,pass,calls,")
        + (head.isOfHost ? "works," : "kernels,") + std::string(timeTitle(head.isOfHost))
        + " (s),busy (s)," + kWorkHeads + "\n";
    for (const MeasuredOperator& one : operators) {
        std::vector<Cell> cells{head.runName, rankCell(head.rank), one.name,
            analysis::shapeText(one.signature), toString(one.pass), one.sums.calls, one.works,
            one.time, one.busy};
        addWork(cells, one.efficiency);
        text::addCsvLine(csv, cells);
    }
    return csv;
}

std::string differenceCsv(const DifferenceFigureData& data) {
    std::string csv = "operator,pass,called by,a,b,a (s),b (s),difference (s),ratio,change,"
                      "a calls,b calls,a kernels,b kernels\n";
    const auto seconds = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? Cell(side->seconds) : Cell();
    };
    const auto calls = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? Cell(side->calls) : Cell();
    };
    const auto works = [](const std::optional<analysis::ComparedSide>& side) {
        return side ? Cell(side->works) : Cell();
    };
    for (const auto& one : data.operators)
        text::addCsvLine(csv,
            {one.name, toString(one.pass), one.path, data.nameA, data.nameB, seconds(one.times.a),
                seconds(one.times.b), one.times.difference(), one.times.ratio(),
                toString(one.times.change()), calls(one.times.a), calls(one.times.b),
                works(one.times.a), works(one.times.b)});
    return csv;
}

} // namespace trainscope::plot
