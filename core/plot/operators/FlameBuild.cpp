// The flame graph: callers above what they call, as wide as the kernel time of all that they
// launched, the longest first. Sums of kernel time add up to their callers'; busy times do not.
#include "core/plot/Palette.h"
#include "core/plot/Sheet.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <array>
#include <set>

namespace trainscope::plot {

namespace {

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

bool FlameFigureData::isEmpty() const {
    return !work || root >= work->tree.nodes.size() || work->tree.nodes[root].sums.time.ns <= 0;
}

Picture buildFlame(const FlameFigureData& data, const FigureStyle& style) {
    return FlameBuilder(data, style).build();
}

} // namespace trainscope::plot
