// The flame graph: callers above what they call, as wide as the kernel time of all that they
// launched, the longest first. Sums of kernel time add up to their callers'; busy times do not.
#include "core/plot/Palette.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

// Two runs beside each other: what differs most, as bars from the middle, to the left what the
// second run does faster, to the right what it does slower.

using analysis::Change;
using analysis::ComparedOperator;
using analysis::ComparedSide;

constexpr double kComparedNames = 0.34; // share of the width, at most

std::string secondsText(const std::optional<ComparedSide>& side) {
    return side ? text::quantity(side->seconds, "s", text::Digits::Three) : text::kMissing;
}

std::string changeText(const ComparedOperator& one) {
    switch (one.times.change()) {
    case Change::New:
        return "new";
    case Change::Gone:
        return "gone";
    default:
        break;
    }
    const auto ratio = one.times.ratio();
    return ratio ? fmt::format("× {}", text::number(*ratio)) : text::kMissing;
}

void tellDifference(const ComparedOperator& one, Hit& hit) {
    hit.title = comparedTitle(one.kind, one.name);
    if (!one.path.empty())
        hit.facts.emplace_back("Called by", one.path);
    if (one.pass != analysis::StepPass::None)
        hit.facts.emplace_back("Pass", passTitle(one.pass));
    hit.facts.emplace_back("A", secondsText(one.times.a));
    hit.facts.emplace_back("B", secondsText(one.times.b));
    hit.facts.emplace_back(
        "B − A", text::quantity(one.times.difference(), "s", text::Digits::Three));
    hit.facts.emplace_back("B / A", changeText(one));
}

class DifferenceBuilder {
public:
    DifferenceBuilder(const DifferenceFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style)
        , m_count(std::min(data.operators.size(), data.most)) { }

    Picture build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty(m_data.head);
            return std::move(m_picture);
        }
        m_sheet.setLegend({{"faster in B", faster()}, {"slower in B", slower()}});
        const Rect area
            = m_sheet.open(m_data.head, headHeight() + static_cast<double>(m_count) * wantedRow());
        m_sheet.close();
        layOut(area);
        m_picture.areas.push_back(m_area);
        drawHead(area);
        for (std::size_t i = 0; i < m_count; ++i)
            drawRow(i, area);
        const double middle = m_area.x + m_area.width / 2.0;
        m_sheet.line({middle, m_area.y}, {middle, m_area.y + static_cast<double>(m_count) * m_row},
            m_sheet.theme.textSecondary);
        return std::move(m_picture);
    }

private:
    static Color faster() { return seriesColor(0); }
    static Color slower() { return seriesColor(1); }
    [[nodiscard]] double wantedRow() const { return 2.0 * m_sheet.size(); }
    [[nodiscard]] double headHeight() const {
        return 3.0 * m_sheet.lineHeight() + 2.0 * m_sheet.gap();
    }
    [[nodiscard]] double between() const { return 3.0 * m_sheet.gap(); }

    void layOut(const Rect& area) {
        m_a = m_sheet.width("A");
        m_b = m_sheet.width("B");
        m_ratio = m_sheet.width("B / A");
        for (std::size_t i = 0; i < m_count; ++i) {
            const ComparedOperator& one = m_data.operators[i];
            m_names = std::max(m_names, m_sheet.width(comparedTitle(one.kind, one.name)));
            m_a = std::max(m_a, m_sheet.width(secondsText(one.times.a)));
            m_b = std::max(m_b, m_sheet.width(secondsText(one.times.b)));
            m_ratio = std::max(m_ratio, m_sheet.width(changeText(one)));
            m_most = std::max(m_most, std::abs(one.times.difference()));
        }
        m_names = std::min(m_names, kComparedNames * area.width);
        const double left = area.x + m_names + m_a + m_b + 3.0 * between();
        const double right = area.right() - m_ratio - between();
        const double top = area.y + headHeight();
        m_area = {left, top, std::max(right - left, 1.0), std::max(area.bottom() - top, 1.0)};
        m_row = std::min(wantedRow(), m_area.height / static_cast<double>(m_count));
    }

    [[nodiscard]] double rightOfA(const Rect& area) const {
        return area.x + m_names + between() + m_a;
    }
    [[nodiscard]] double rightOfB(const Rect& area) const {
        return rightOfA(area) + between() + m_b;
    }

    void drawHead(const Rect& area) const {
        const double line = m_sheet.lineHeight();
        double baseline = area.y + m_sheet.size();
        m_sheet.text({area.x, baseline}, m_sheet.fitted("A: " + m_data.nameA, area.width),
            m_sheet.theme.text);
        m_sheet.text({area.x, baseline + line}, m_sheet.fitted("B: " + m_data.nameB, area.width),
            m_sheet.theme.text);
        baseline += 2.0 * line + m_sheet.gap();
        m_sheet.note({area.x, baseline}, "operator");
        m_sheet.note({rightOfA(area), baseline}, "A", Align::Right);
        m_sheet.note({rightOfB(area), baseline}, "B", Align::Right);
        m_sheet.note({m_area.x + m_area.width / 2.0, baseline}, "B − A", Align::Centre);
        m_sheet.note({area.right(), baseline}, "B / A", Align::Right);
    }

    void drawRow(std::size_t index, const Rect& area) const {
        const ComparedOperator& one = m_data.operators[index];
        const Rect row{area.x, m_area.y + static_cast<double>(index) * m_row, area.width, m_row};
        Shown shown;
        shown.choice = index;
        m_sheet.target(row, shown, [&one](Hit& hit) { tellDifference(one, hit); });
        drawBar(one, row);
        if (m_row < m_sheet.size())
            return;
        const double baseline = m_sheet.centred(row);
        const auto cell = [&](double right, std::string words) {
            m_sheet.text({right, baseline}, std::move(words), m_sheet.theme.text, TextRole::Small,
                Align::Right);
        };
        m_sheet.text({area.x, baseline}, m_sheet.fitted(comparedTitle(one.kind, one.name), m_names),
            m_sheet.theme.text);
        cell(rightOfA(area), secondsText(one.times.a));
        cell(rightOfB(area), secondsText(one.times.b));
        cell(area.right(), changeText(one));
    }

    // Hatched where one of the runs does not have it.
    void drawBar(const ComparedOperator& one, const Rect& row) const {
        const double difference = one.times.difference();
        const double half = m_area.width / 2.0;
        const double wide = m_most > 0.0 ? half * std::abs(difference) / m_most : 0.0;
        const double middle = m_area.x + half;
        const double inset = 0.18 * m_row;
        const Rect bar{
            difference < 0.0 ? middle - wide : middle, row.y + inset, wide, m_row - 2.0 * inset};
        m_sheet.fill(bar, difference < 0.0 ? faster() : slower());
        if (!one.times.a || !one.times.b)
            m_sheet.hatch(bar, m_sheet.theme.window);
    }

    const DifferenceFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // area of the bars
    std::size_t m_count;
    double m_names = 0.0;
    double m_a = 0.0; // widths
    double m_b = 0.0;
    double m_ratio = 0.0;
    double m_most = 0.0; // s
    double m_row = 0.0; // height
};

using analysis::CallNode;
using analysis::StepPass;

constexpr double kLeastFrame = 1.0; // narrower ones are drawn together
constexpr double kFrameGap = 0.75; // neighbours stay apart
constexpr double kHostShade = 0.4; // share of the panel over frames that are no work themselves
constexpr double kFaded = 0.8; // share of the panel over frames that were not found
constexpr std::size_t kMostRows = 120;

void tellFrame(const CalledWork& work, std::uint32_t at, Hit& hit) {
    const analysis::CallTree& tree = work.tree;
    const CallNode& node = tree.nodes[at];
    hit.title = frameTitle(node.kind, tree.names[node.name]);
    if (const std::string shapes = analysis::shapeText(tree.signatures[node.signature]);
        !shapes.empty())
        hit.facts.emplace_back("Inputs", shapes);
    for (auto& fact : sourceFacts(tree.names[node.name]))
        hit.facts.push_back(std::move(fact));
    for (auto& fact : factsOf(node.sums, tree.isOfHost))
        hit.facts.push_back(std::move(fact));
    const double all = static_cast<double>(tree.nodes.front().sums.time.ns);
    hit.facts.emplace_back("Of all " + std::string(timeTitle(tree.isOfHost)),
        text::roundedPercent(static_cast<double>(node.sums.time.ns) / all));
    if (!work.efficiencies.empty()) {
        for (auto& fact : factsOf(work.efficiencies[at]))
            hit.facts.push_back(std::move(fact));
    }
}

class FlameBuilder {
public:
    FlameBuilder(const FlameFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style) { }

    Picture build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty(m_data.head);
            return std::move(m_picture);
        }
        m_children = analysis::childrenOf(tree());
        findPasses();
        m_isByCategory = !m_data.work->categories.empty()
            && (m_data.colouring == FlameColouring::Category
                || std::ranges::all_of(
                    m_passes, [](StepPass pass) { return pass == StepPass::None; }));
        if (m_isByCategory)
            m_leading = leadingWork(tree());
        for (std::uint32_t at = m_data.root; at != CallNode::kNone; at = node(at).parent)
            m_callers.push_back(at);
        std::ranges::reverse(m_callers);
        const double total = static_cast<double>(node(m_data.root).sums.time.ns);
        layOut(m_sheet.width() / total);
        m_sheet.setLegend(legend());
        const double wanted = static_cast<double>(m_rows.size()) * wantedRow();
        m_area = m_sheet.open(m_data.head, wanted);
        m_sheet.close();
        m_picture.areas.push_back(m_area);
        m_rowHeight = std::min(wantedRow(), m_area.height / static_cast<double>(m_rows.size()));
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            drawRow(row);
        for (Label& label : m_labels)
            m_picture.scene.items.emplace_back(std::move(label));
        return std::move(m_picture);
    }

private:
    // Relative to the area.
    struct Frame {
        double x = 0.0;
        double width = 0.0;
        std::uint32_t node = 0; // the first, if several are drawn as one
        std::size_t together = 1; // frames drawn as this one
    };

    [[nodiscard]] const analysis::CallTree& tree() const { return m_data.work->tree; }
    [[nodiscard]] const CallNode& node(std::uint32_t at) const { return tree().nodes[at]; }
    [[nodiscard]] double wantedRow() const { return 1.7 * m_sheet.size(); }

    // A frame that tells no pass has its caller's.
    void findPasses() {
        m_passes.reserve(tree().nodes.size());
        for (const CallNode& one : tree().nodes) {
            const bool isInherited = one.pass == StepPass::None && one.parent != CallNode::kNone;
            m_passes.push_back(isInherited ? m_passes[one.parent] : one.pass);
        }
    }

    void layOut(double scale) {
        for (const std::uint32_t caller : m_callers)
            m_rows.push_back({{0.0, m_sheet.width(), caller, 1}});
        for (std::size_t row = m_callers.size() - 1; row < m_rows.size(); ++row) {
            std::vector<Frame> below;
            for (const Frame& frame : m_rows[row]) {
                if (frame.together == 1)
                    addChildren(frame, scale, below);
            }
            if (!below.empty() && m_rows.size() < kMostRows)
                m_rows.push_back(std::move(below));
        }
    }

    void addChildren(const Frame& caller, double scale, std::vector<Frame>& below) const {
        std::vector<std::uint32_t> children(
            m_children.children.begin() + m_children.first[caller.node],
            m_children.children.begin() + m_children.first[caller.node + 1]);
        std::ranges::stable_sort(children, [this](std::uint32_t one, std::uint32_t other) {
            return node(one).sums.time > node(other).sums.time;
        });
        double x = caller.x;
        Frame rest{0.0, 0.0, 0, 0};
        for (const std::uint32_t child : children) {
            const double width = static_cast<double>(node(child).sums.time.ns) * scale;
            if (width <= 0.0)
                break;
            if (width >= kLeastFrame) {
                below.push_back({x, width, child, 1});
            } else {
                if (rest.together == 0)
                    rest = {x, 0.0, child, 0};
                rest.width += width;
                ++rest.together;
            }
            x += width;
        }
        if (rest.width >= kLeastFrame)
            below.push_back(rest);
    }

    [[nodiscard]] Color colorOf(const Frame& frame) const {
        const Theme& theme = m_sheet.theme;
        if (frame.together > 1)
            return blend(categoryColor({}), theme.panel, 0.6);
        const bool isLeaf = analysis::isWork(node(frame.node).kind);
        Color color
            = isByCategory() ? categoryColorOf(frame.node) : passColor(m_passes[frame.node]);
        if (!isLeaf)
            color = blend(color, theme.panel, kHostShade);
        const bool isCaller = frame.node != m_data.root && m_data.root != 0
            && std::ranges::find(m_callers, frame.node) != m_callers.end();
        const bool isFaded = isCaller || (!m_data.found.empty() && !m_data.found[frame.node]);
        return isFaded ? blend(color, theme.panel, kFaded) : color;
    }
    [[nodiscard]] bool isByCategory() const { return m_isByCategory; }
    [[nodiscard]] Color categoryColorOf(std::uint32_t at) const {
        // Calls of a host are of no category: each has a colour of its own.
        return tree().isOfHost ? seriesColor(node(at).name)
                               : categoryColor(m_data.work->categories[m_leading[at]]);
    }

    void drawRow(std::size_t row) {
        const Rect& area = m_area;
        Bars bars{{area.x, area.y + static_cast<double>(row) * m_rowHeight, area.width,
                      std::max(m_rowHeight - kFrameGap, 0.5)},
            {}};
        for (const Frame& frame : m_rows[row]) {
            const Color color = colorOf(frame);
            const Rect rect{area.x + frame.x, bars.area.y, frame.width, bars.area.height};
            const double space = rect.width > 3.0 ? kFrameGap : 0.0;
            bars.bars.push_back({rect.x, rect.right() - space, color});
            addTarget(frame, rect);
            drawName(frame, rect, color);
        }
        m_picture.scene.items.emplace_back(std::move(bars));
    }

    void addTarget(const Frame& frame, const Rect& rect) const {
        if (frame.together > 1)
            return m_sheet.target(rect, {}, [](Hit& hit) { hit.title = "Several short ones"; });
        Shown shown;
        shown.choice = frame.node;
        m_sheet.target(rect, shown, [work = m_data.work.get(), node = frame.node](Hit& hit) {
            tellFrame(*work, node, hit);
        });
    }

    void drawName(const Frame& frame, const Rect& rect, Color color) {
        const double inner = rect.width - 2.0 * m_sheet.gap();
        if (rect.height < m_sheet.size() + 1.0 || inner < 2.0 * m_sheet.size())
            return;
        const CallNode& one = node(frame.node);
        const std::string name = frame.together > 1 ? std::to_string(frame.together) + " more"
                                                    : frameTitle(one.kind, tree().names[one.name]);
        std::string shown = m_sheet.fitted(name, inner);
        if (!shown.empty())
            m_labels.push_back(Label{{rect.x + m_sheet.gap(), m_sheet.centred(rect)},
                std::move(shown), readableOn(color), TextRole::Small, Align::Left, false, 0.0});
    }

    [[nodiscard]] Sheet::Legend legend() const {
        if (isByCategory() && tree().isOfHost)
            return {};
        std::set<std::string> categories;
        std::array<bool, analysis::kPasses> passes{};
        for (const auto& row : m_rows) {
            for (const Frame& frame : row) {
                if (frame.together > 1)
                    continue;
                passes[static_cast<std::size_t>(m_passes[frame.node])] = true;
                if (isByCategory() && analysis::isWork(node(frame.node).kind))
                    categories.insert(m_data.work->categories[frame.node]);
            }
        }
        Sheet::Legend entries;
        for (const std::string& category : categories)
            entries.emplace_back(categoryTitle(category), categoryColor(category));
        for (std::size_t i = 0; i < passes.size() && !isByCategory(); ++i) {
            const auto pass = static_cast<StepPass>((i + 1) % passes.size()); // "Other" comes last
            if (passes[static_cast<std::size_t>(pass)])
                entries.emplace_back(passTitle(pass), passColor(pass));
        }
        return entries;
    }

    const FlameFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // area of the frames
    analysis::CallChildren m_children;
    std::vector<StepPass> m_passes; // by node
    bool m_isByCategory = false; // also where no pass is known
    std::vector<std::uint32_t> m_leading; // by node
    std::vector<std::uint32_t> m_callers; // from the root to what fills the width
    std::vector<std::vector<Frame>> m_rows;
    std::vector<Label> m_labels;
    double m_rowHeight = 0.0;
};

} // namespace

Picture buildDifference(const DifferenceFigureData& data, const FigureStyle& style) {
    return DifferenceBuilder(data, style).build();
}

bool FlameFigureData::isEmpty() const {
    return !work || root >= work->tree.nodes.size() || work->tree.nodes[root].sums.time.ns <= 0;
}

Picture buildFlame(const FlameFigureData& data, const FigureStyle& style) {
    return FlameBuilder(data, style).build();
}

} // namespace trainscope::plot
