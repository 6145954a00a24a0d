#include "app/viewmodels/operators/OperatorRows.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/Theme.h"
#include "core/plot/operators/OperatorsText.h"

namespace trainscope::app {
namespace {

using analysis::CallNode;
using analysis::CallTree;
using analysis::FrameKind;
using analysis::OperatorGrouping;

// True for a frame of the tree that belongs to a row of a flat table.
bool isOfRow(const CallTree& tree, const CallNode& node, const OutlineNode& row,
    const std::string& signature, OperatorGrouping grouping) {
    if (analysis::isWork(node.kind))
        return false;
    switch (grouping) {
    case OperatorGrouping::Pass:
        return node.pass == row.pass;
    case OperatorGrouping::Module:
    case OperatorGrouping::Annotation:
        return node.kind == row.kind
            && plot::frameTitle(node.kind, tree.names[node.name]) == row.name;
    case OperatorGrouping::Operator:
    case OperatorGrouping::Shape:
        break;
    }
    return node.kind == FrameKind::Operator && tree.names[node.name] == row.name
        && (grouping == OperatorGrouping::Operator || tree.signatures[node.signature] == signature);
}

bool isOfKernelRow(
    const OperatorsAnswer& answer, std::size_t node, const plot::MeasuredOperator& row) {
    if (!analysis::isWork(answer.work->tree.nodes[node].kind))
        return false;
    return answer.by() == OperatorsBy::Category
        ? figures::categoryOfWork(*answer.work, node) == row.category
        : answer.work->tree.names[answer.work->tree.nodes[node].name] == row.kernel;
}

bool isByOperator(OperatorGrouping grouping) {
    return grouping == OperatorGrouping::Operator || grouping == OperatorGrouping::Shape;
}

// The nearest; kNone: no operator called it.
std::uint32_t operatorAbove(const CallTree& tree, std::uint32_t node) {
    while (node != CallNode::kNone && tree.nodes[node].kind != FrameKind::Operator)
        node = tree.nodes[node].parent;
    return node;
}

void addKernel(
    const std::string& name, const CallNode& leaf, std::map<std::string, KernelsUnder>& kernels) {
    const auto [found, isNew] = kernels.try_emplace(name);
    KernelsUnder& one = found->second;
    one.name = name;
    one.shortest = isNew ? leaf.shortest : std::min(one.shortest, leaf.shortest);
    if (isNew || leaf.longest > one.longest) {
        one.longest = leaf.longest;
        one.longestAt = leaf.longestAt;
        one.longestRank = leaf.longestRank;
    }
    one.count += leaf.sums.works;
    one.total = one.total + leaf.sums.time;
}

// By node of the tree: whether it, or one of its callers where these count with all they call, is
// of the row. Work is of the nearest operator above it, whatever frames lie between.
std::vector<bool> nodesOfRow(const OperatorsAnswer& answer, std::uint32_t row) {
    const CallTree& tree = answer.work->tree;
    const OutlineNode& shown = answer.outline.nodes()[row];
    std::vector<bool> isIn(tree.nodes.size(), false);
    if (answer.by() == OperatorsBy::Tree) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            isIn[i] = i == shown.source || (i > 0 && isIn[tree.nodes[i].parent]);
        return isIn;
    }
    if (shown.source == OutlineNode::kNone)
        return isIn;
    if (answer.isByKernel()) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            isIn[i] = isOfKernelRow(answer, i, answer.table->operators[shown.source]);
        return isIn;
    }
    const std::string& signature = answer.table->operators[shown.source].signature;
    const bool isWhole = answer.grouping == OperatorGrouping::Module
        || answer.grouping == OperatorGrouping::Annotation;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const bool goesOn = isByOperator(answer.grouping) ? node.kind != FrameKind::Operator
                                                          : isWhole || analysis::isWork(node.kind);
        const bool isBelow = i > 0 && isIn[node.parent] && goesOn;
        isIn[i] = isBelow || isOfRow(tree, node, shown, signature, answer.grouping);
    }
    return isIn;
}

// Frames, or kernels and what else is work.
std::uint32_t longestOf(const CallTree& tree, const std::vector<bool>& isIn, bool isOfWork) {
    std::uint32_t best = OutlineNode::kNone;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const bool isFrame = isIn[i] && analysis::isWork(tree.nodes[i].kind) == isOfWork;
        if (isFrame
            && (best == OutlineNode::kNone || tree.nodes[i].sums.time > tree.nodes[best].sums.time))
            best = i;
    }
    return best;
}

// By frame of both runs: whether it is one of the row, or, in the tree, under it.
std::vector<bool> framesOfRow(const OperatorsAnswer& answer, std::uint32_t row) {
    const auto& difference = answer.difference->difference;
    const std::size_t source = answer.outline.nodes()[row].source;
    std::vector<bool> isIn(difference.frames.size(), false);
    if (answer.by() == OperatorsBy::Tree) {
        for (std::size_t i = source; i < isIn.size(); ++i)
            isIn[i] = i == source || (i > 0 && isIn[difference.frames[i].parent]);
        return isIn;
    }
    for (const std::uint32_t frame : answer.difference->operators[source].frames)
        isIn[frame] = true;
    return isIn;
}

std::vector<KernelsUnder> kernelsIn(const CallTree& tree, const std::vector<bool>& isIn) {
    std::vector<KernelsUnder> made;
    std::map<std::string, KernelsUnder> kernels;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (isIn[i] && analysis::isWork(tree.nodes[i].kind) && tree.nodes[i].sums.works > 0)
            addKernel(tree.names[tree.nodes[i].name], tree.nodes[i], kernels);
    }
    for (auto& [name, one] : kernels)
        made.push_back(std::move(one));
    std::ranges::stable_sort(made, std::greater<>(), &KernelsUnder::total);
    return made;
}

// Kernels of one of two runs that are compared.
std::vector<KernelsUnder> comparedKernels(const OperatorsAnswer& answer, std::uint32_t row,
    const figures::OperatorsReading& reading, const std::vector<std::uint32_t>& frameOf) {
    if (!reading.work || row >= answer.outline.nodes().size())
        return {};
    const CallTree& tree = reading.work->tree;
    std::vector<bool> isIn(tree.nodes.size(), false);
    if (answer.isByKernel()) {
        const auto& one = answer.difference->operators[answer.outline.nodes()[row].source];
        for (std::size_t i = 0; i < isIn.size(); ++i)
            isIn[i] = tree.names[tree.nodes[i].name] == one.name;
        return kernelsIn(tree, isIn);
    }
    const auto frames = framesOfRow(answer, row);
    for (std::size_t i = 0; i < std::min(isIn.size(), frameOf.size()); ++i)
        isIn[i] = frames[frameOf[i]];
    return kernelsIn(tree, isIn);
}

constexpr double kColumnMargins = 17.0; // beside the texts, both sides together
const QString kSortArrow = QStringLiteral("↓ ");

QString valueWords(const OutlineColumn& column, const std::optional<double>& value) {
    if (!value)
        return QString::fromUtf8(text::kMissing);
    if (column.unit == "1")
        return std::floor(*value) == *value ? wholeText(static_cast<qint64>(*value))
                                            : QString::fromStdString(text::number(*value));
    if (column.unit == "%")
        return QString::fromStdString(text::roundedPercent(*value));
    if (column.unit == "×")
        return QStringLiteral("× %1").arg(QString::fromStdString(text::number(*value)));
    return QString::fromStdString(text::quantity(*value, column.unit, text::Digits::Three));
}

QString kindWords(const OutlineNode& node) {
    QString words = textOf(toString(node.kind));
    if (node.pass != analysis::StepPass::None)
        words += QStringLiteral(" · ") + textOf(toString(node.pass));
    return words;
}

QColor markOf(const OutlineNode& node) {
    const plot::Color color = node.pass == analysis::StepPass::None && !node.category.empty()
        ? plot::categoryColor(node.category)
        : plot::passColor(node.pass);
    return {color.r, color.g, color.b};
}

QString cellWords(const OperatorOutline& outline, std::size_t column, const OutlineNode& node) {
    const OutlineColumn& shown = outline.columns()[column];
    if (shown.unit == "J" && node.energy)
        return QString::fromStdString(text::withInterval(node.energy->joules, node.energy->low,
            node.energy->high, shown.unit, text::Digits::Three));
    return shown.unit.empty() ? QString::fromStdString(node.words)
                              : valueWords(shown, node.values[column]);
}

bool isKnown(const OperatorOutline& outline, std::size_t column) {
    const bool isOfWords = outline.columns()[column].unit.empty();
    return std::ranges::any_of(outline.nodes(), [&](const OutlineNode& node) {
        return isOfWords ? !node.words.empty() : node.values[column].has_value();
    });
}

// As wide as any that the column can have: figures of other rows come and go.
QString widestCell(const OperatorOutline& outline, std::size_t column) {
    const OutlineColumn& shown = outline.columns()[column];
    if (shown.unit.empty()) {
        std::string longest;
        for (const OutlineNode& node : outline.nodes())
            longest = node.words.size() > longest.size() ? node.words : longest;
        return QString::fromStdString(longest);
    }
    if (shown.unit == "J")
        return QStringLiteral("8.88 kJ (8.88 to 8.88)");
    if (shown.unit == "%")
        return QStringLiteral("100 %");
    if (shown.unit == "×")
        return QStringLiteral("× 0.0088");
    if (shown.unit != "1")
        return (shown.isByMagnitude ? QStringLiteral("−8.88 M") : QStringLiteral("8.88 M"))
            + QString::fromStdString(shown.unit);
    double largest = 0.0;
    bool isWhole = true;
    for (const OutlineNode& node : outline.nodes()) {
        const double value = node.values[column].value_or(0.0);
        largest = std::max(largest, value);
        isWhole = isWhole && value == std::floor(value);
    }
    return isWhole ? valueWords(shown, largest)
                   : wholeText(static_cast<qint64>(largest)) + QStringLiteral(".88");
}

double needOf(const OutlineColumn& column, const QString& widest) {
    const Theme& theme = *Theme::instance();
    const double head
        = widestOf({kSortArrow + QString::fromStdString(column.title)}, theme.smallSize());
    return std::ceil(std::max(head, widestOf({widest}, theme.secondarySize()))) + kColumnMargins;
}

using SeenNodes = std::unordered_map<std::uint32_t, OperatorOutline::Seen>;

TableRow operatorRow(const OperatorOutline& outline, const OperatorOutline::Seen& seen,
    const std::vector<std::size_t>& columns) {
    const OutlineNode& node = outline.nodes()[seen.node];
    TableRow row;
    row.name = QString::fromStdString(node.name);
    row.note = QString::fromStdString(node.note);
    row.cells = {row.name};
    for (const std::size_t column : columns)
        row.cells.push_back(cellWords(outline, column, node));
    const QString kind = kindWords(node);
    row.spoken = QStringLiteral("%1 %2, %3")
                     .arg(kind, row.note, row.cells.mid(1).join(QStringLiteral(", ")));
    row.tip = row.name + QLatin1Char('\n')
        + (row.note.isEmpty() ? QString() : row.note + QLatin1Char('\n')) + kind;
    row.depth = seen.depth;
    row.isExpandable = seen.hasChildren;
    row.isUnfolded = seen.isUnfolded;
    row.isStrong = seen.isFound;
    row.isQuiet = row.isRound = analysis::isWork(node.kind) && outline.isTree();
    row.mark = markOf(node);
    return row;
}

text::Table copiedNodes(const OperatorOutline& outline, const SeenNodes& seen,
    const std::vector<TableHead>& heads, const std::vector<std::int64_t>& rows) {
    const auto columns = knownColumns(outline);
    text::Table table;
    for (const TableHead& head : heads)
        table.columns.push_back({head.title.toStdString()});
    for (const std::int64_t at : rows) {
        const auto& place = seen.at(static_cast<std::uint32_t>(at));
        const OutlineNode& node = outline.nodes()[place.node];
        std::string name = std::string(std::size_t{2} * static_cast<std::size_t>(place.depth), ' ');
        name += node.note.empty() ? node.name : node.name + ' ' + node.note;
        std::vector<text::Cell> cells{name};
        for (const std::size_t column : columns)
            cells.emplace_back(cellWords(outline, column, node).toStdString());
        table.add(std::move(cells));
    }
    return table;
}

} // namespace

std::vector<KernelsUnder> kernelsUnder(const OperatorsAnswer& answer, std::uint32_t row) {
    if (answer.difference)
        return comparedKernels(
            answer, row, *answer.reading, answer.difference->difference.frameOfA);
    if (!answer.work || row >= answer.outline.nodes().size())
        return {};
    return kernelsIn(answer.work->tree, nodesOfRow(answer, row));
}

std::vector<KernelsUnder> otherKernelsUnder(const OperatorsAnswer& answer, std::uint32_t row) {
    return answer.difference
        ? comparedKernels(answer, row, *answer.other, answer.difference->difference.frameOfB)
        : std::vector<KernelsUnder>();
}

std::string launchersOf(const OperatorsAnswer& answer, std::uint32_t row) {
    constexpr std::size_t kMost = 3;
    std::map<std::string, double> seconds;
    double all = 0.0;
    const CallTree& tree = answer.work->tree;
    const std::vector<bool> isIn = nodesOfRow(answer, row);
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const double own = isIn[i] ? tree.nodes[i].sums.time.seconds() : 0.0;
        all += own;
        if (const auto above = operatorAbove(tree, i); own > 0.0 && above != CallNode::kNone)
            seconds[tree.names[tree.nodes[above].name]] += own;
    }
    std::vector<std::pair<std::string, double>> sorted(seconds.begin(), seconds.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, double>::second);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(sorted.size(), kMost); ++i)
        words.push_back(sorted[i].first + ' ' + text::roundedPercent(sorted[i].second / all));
    return text::joined(words);
}

std::vector<std::optional<double>> pathOfRows(const OperatorsAnswer& answer) {
    const CallTree& tree = answer.work->tree;
    std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>> leaves;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const std::uint32_t above = operatorAbove(tree, i);
        if (analysis::isWork(tree.nodes[i].kind))
            leaves[{above == CallNode::kNone ? "" : tree.names[tree.nodes[above].name],
                       tree.names[tree.nodes[i].name]}]
                .push_back(i);
    }
    std::vector<std::optional<double>> values(answer.outline.nodes().size(), 0.0);
    if (answer.isByKernel()) {
        for (std::size_t row = 0; row < values.size(); ++row) {
            if (answer.outline.nodes()[row].source == OutlineNode::kNone)
                values[row].reset();
        }
        for (const auto& [key, seconds] : answer.path->seconds) {
            const auto& own = leaves[key];
            const auto row = own.empty() ? OutlineNode::kNone : rowOfTreeNode(answer, own.front());
            if (row != OutlineNode::kNone)
                *values[row] += seconds;
        }
        return values;
    }
    const auto add = [&](std::uint32_t row, std::size_t held, std::size_t all, double seconds) {
        if (held == all && values[row])
            *values[row] += seconds;
        else if (held > 0)
            values[row].reset();
    };
    const bool isTree = answer.by() == OperatorsBy::Tree;
    for (const auto& [key, seconds] : answer.path->seconds) {
        const auto& own = leaves[key];
        std::map<std::uint32_t, std::size_t> above; // leaves under each node
        for (std::uint32_t at : own) {
            for (; isTree && at != CallNode::kNone; at = tree.nodes[at].parent)
                ++above[at];
        }
        for (const auto& [row, held] : above)
            add(row, held, own.size(), seconds);
    }
    for (std::uint32_t row = 0; !isTree && row < values.size(); ++row) {
        const std::vector<bool> isIn = nodesOfRow(answer, row);
        for (const auto& [key, seconds] : answer.path->seconds) {
            const auto held = std::ranges::count_if(
                leaves[key], [&isIn](std::uint32_t leaf) { return bool(isIn[leaf]); });
            add(row, static_cast<std::size_t>(held), leaves[key].size(), seconds);
        }
    }
    return values;
}

text::Table kernelsTable(
    const std::string& title, const std::vector<KernelsUnder>& kernels, bool isOfHost) {
    text::Table table;
    table.title = title;
    if (isOfHost) {
        table.columns = {{"Call", text::Align::Left}, {"Count"}, {"Self time"}, {"Mean"}};
        for (const KernelsUnder& one : kernels)
            table.add({plot::frameTitle(FrameKind::Annotation, one.name), one.count, one.total,
                DurationNs{one.total.ns / one.count}});
        return table;
    }
    table.columns = {
        {"Kernel", text::Align::Left}, {"Count"}, {"Total"}, {"Mean"}, {"Shortest"}, {"Longest"}};
    for (const KernelsUnder& one : kernels)
        table.add({plot::frameTitle(FrameKind::Kernel, one.name), one.count, one.total,
            DurationNs{one.total.ns / one.count}, one.shortest, one.longest});
    return table;
}

std::uint32_t treeNodeOf(const OperatorsAnswer& answer, std::uint32_t row) {
    if (answer.difference || !answer.work || row >= answer.outline.nodes().size())
        return OutlineNode::kNone;
    if (answer.by() == OperatorsBy::Tree)
        return static_cast<std::uint32_t>(answer.outline.nodes()[row].source);
    return longestOf(answer.work->tree, nodesOfRow(answer, row), answer.isByKernel());
}

std::uint32_t rowOfOperator(const OperatorsAnswer& answer, std::size_t shown) {
    if (answer.by() != OperatorsBy::Tree)
        return answer.outline.nodeOf(shown);
    if (!answer.work || !answer.table || shown >= answer.table->operators.size())
        return OutlineNode::kNone;
    const plot::MeasuredOperator& one = answer.table->operators[shown];
    const CallTree& tree = answer.work->tree;
    std::uint32_t best = OutlineNode::kNone;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const CallNode& node = tree.nodes[i];
        const bool isIt = !analysis::isWork(node.kind) && tree.names[node.name] == one.name
            && tree.signatures[node.signature] == one.signature;
        if (isIt
            && (best == OutlineNode::kNone || node.sums.ownTime > tree.nodes[best].sums.ownTime))
            best = i;
    }
    return best;
}

std::uint32_t rowOfTreeNode(const OperatorsAnswer& answer, std::size_t node) {
    if (answer.by() == OperatorsBy::Tree)
        return answer.outline.nodeOf(node);
    if (!answer.work || node >= answer.work->tree.nodes.size())
        return OutlineNode::kNone;
    const CallTree& tree = answer.work->tree;
    const auto& rows = answer.outline.nodes();
    if (answer.isByKernel()) {
        std::vector<bool> isBelow(tree.nodes.size(), false);
        for (std::size_t i = node; i < isBelow.size(); ++i)
            isBelow[i] = i == node || (i > 0 && isBelow[tree.nodes[i].parent]);
        const auto leaf = longestOf(tree, isBelow, true);
        const auto& operators = answer.table->operators;
        const auto found = std::ranges::find_if(operators, [&](const auto& one) {
            return leaf != OutlineNode::kNone && isOfKernelRow(answer, leaf, one);
        });
        return found == operators.end()
            ? OutlineNode::kNone
            : answer.outline.nodeOf(static_cast<std::size_t>(found - operators.begin()));
    }
    // A kernel is told of by what launched it.
    auto at = static_cast<std::uint32_t>(node);
    if (analysis::isWork(tree.nodes[at].kind)) {
        at = tree.nodes[at].parent;
        while (
            isByOperator(answer.grouping) && at != 0 && tree.nodes[at].kind != FrameKind::Operator)
            at = tree.nodes[at].parent;
    }
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
        const std::string& signature = answer.table->operators[rows[row].source].signature;
        if (isOfRow(tree, tree.nodes[at], rows[row], signature, answer.grouping))
            return row;
    }
    return OutlineNode::kNone;
}

std::uint32_t rowOfDifference(const OperatorsAnswer& answer, std::size_t shown) {
    if (!answer.difference || shown >= answer.difference->operators.size())
        return OutlineNode::kNone;
    if (answer.by() != OperatorsBy::Tree)
        return answer.outline.nodeOf(shown);
    const auto& one = answer.difference->operators[shown];
    const auto& frames = answer.difference->difference.frames;
    std::uint32_t best = OutlineNode::kNone;
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        const bool isIt = frames[i].name == one.name && frames[i].pass == one.pass;
        if (isIt
            && (best == OutlineNode::kNone
                || std::abs(frames[i].times.difference())
                    > std::abs(frames[best].times.difference())))
            best = i;
    }
    return best;
}

std::vector<std::size_t> knownColumns(const OperatorOutline& outline) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < outline.columns().size(); ++i) {
        if (isKnown(outline, i))
            columns.push_back(i);
    }
    return columns;
}

TableContent operatorContent(
    const std::shared_ptr<const OperatorOutline>& outline, const QString& nameHead) {
    TableContent content;
    content.heads.push_back({nameHead});
    content.heads.front().isNumber = false;
    content.sortColumn = 0;
    content.isDescending = outline->isDescending();
    const auto columns = knownColumns(*outline);
    for (const std::size_t column : columns) {
        const OutlineColumn& shown = outline->columns()[column];
        if (static_cast<int>(column) == outline->sortColumn())
            content.sortColumn = static_cast<int>(content.heads.size());
        TableHead& head = content.heads.emplace_back();
        head.title = QString::fromStdString(shown.title);
        head.tip = QString::fromStdString(shown.tip);
        head.isLargestFirst = true;
        head.importance = shown.order;
        head.width = needOf(shown, widestCell(*outline, column));
    }
    auto seen = std::make_shared<SeenNodes>();
    for (const auto& one : outline->seen()) {
        content.rows.push_back(one.node);
        seen->emplace(one.node, one);
    }
    content.row = [outline, seen, columns](std::int64_t row) {
        return operatorRow(*outline, seen->at(static_cast<std::uint32_t>(row)), columns);
    };
    content.copied = [outline, seen, heads = content.heads](
                         const auto& rows) { return copiedNodes(*outline, *seen, heads, rows); };
    return content;
}

std::vector<std::pair<QString, QString>> operatorFigures(
    const OperatorOutline& outline, std::uint32_t node) {
    std::vector<std::pair<QString, QString>> figures;
    const OutlineNode& shown = outline.nodes()[node];
    for (std::size_t i = 0; i < outline.columns().size(); ++i) {
        const bool hasValue = outline.columns()[i].unit.empty() || shown.values[i].has_value();
        if (hasValue)
            figures.emplace_back(
                QString::fromStdString(outline.columns()[i].title), cellWords(outline, i, shown));
    }
    return figures;
}

QString operatorCsv(const OperatorOutline& outline, const QString& nameHead) {
    text::Table table;
    table.columns
        = {{nameHead.toStdString(), text::Align::Left}, {"Inputs", text::Align::Left}, {"Depth"}};
    for (const auto& column : outline.columns())
        table.columns.push_back(text::inUnit(
            column.title, column.unit == "1" || column.unit == "×" ? std::string() : column.unit));
    for (const auto& seen : outline.seen()) {
        const OutlineNode& node = outline.nodes()[seen.node];
        std::vector<text::Cell> cells{node.name, node.note, seen.depth};
        for (std::size_t i = 0; i < outline.columns().size(); ++i)
            cells.push_back(outline.columns()[i].unit.empty() ? text::Cell(node.words)
                                                              : text::Cell(node.values[i]));
        table.add(std::move(cells));
    }
    return QString::fromStdString(text::csv(table));
}

} // namespace trainscope::app
