#include "core/plot/layout/NicStrip.h"

#include "core/plot/Palette.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trainscope::plot {

namespace {

using layout::PathKind;

constexpr double kBoxLines = 1.25; // height of a card, in sizes of its text
constexpr double kMostWidth = 5.0; // … and width, of its height
constexpr double kFaint = 0.45;

struct Card {
    std::size_t device = 0;
    std::vector<std::size_t> gpus; // places in the node
    double wish = 0.0; // where it would stand
    bool isNear = false; // over PCIe bridges alone
};

class Strip {
public:
    Strip(const Canvas& canvas, const layout::Topology& topology, const layout::ClusterNode& node,
        const std::vector<Rect>& cells, const Rect& area)
        : m_canvas(canvas)
        , m_topology(topology)
        , m_node(node)
        , m_cells(cells)
        , m_area(area) { }

    void add() {
        findCards();
        const auto count = static_cast<double>(m_cards.size());
        const double step = m_area.width / count;
        const double height = kBoxLines * m_canvas.size();
        const double width = std::min(0.86 * step, kMostWidth * height);
        for (std::size_t i = 0; i < m_cards.size(); ++i) {
            const double middle = m_area.x + (static_cast<double>(i) + 0.5) * step;
            const Rect box{middle - width / 2.0, m_area.bottom() - height, width, height};
            for (const std::size_t gpu : m_cards[i].gpus)
                addLine(gpu, {middle, box.y}, m_cards[i].isNear);
            addCard(m_cards[i], box);
        }
    }

private:
    // In the order of the GPUs that they serve; those that serve none behind.
    void findCards() {
        for (const std::size_t device : m_topology.connectedNics())
            m_cards.push_back({device, {}, m_area.right(), false});
        for (std::size_t gpu = 0; gpu < m_node.gpus.size(); ++gpu) {
            const auto place = layout::gpuPlace(m_topology, m_node.gpus[gpu].local);
            const auto nearest = place ? m_topology.nearestNic(*place) : std::nullopt;
            if (!nearest)
                continue;
            const PathKind best = m_topology.path(*place, *nearest).kind;
            const bool isNear = best <= PathKind::Pxb;
            for (Card& card : m_cards) {
                const bool isOne = isNear ? m_topology.path(*place, card.device).kind == best
                                          : card.device == *nearest;
                if (isOne && best != PathKind::Unknown) {
                    card.gpus.push_back(gpu);
                    card.isNear = isNear;
                }
            }
        }
        for (Card& card : m_cards) {
            double sum = 0.0;
            for (const std::size_t gpu : card.gpus)
                sum += m_cells[gpu].x + m_cells[gpu].width / 2.0;
            if (!card.gpus.empty())
                card.wish = sum / static_cast<double>(card.gpus.size());
        }
        std::stable_sort(m_cards.begin(), m_cards.end(),
            [](const Card& a, const Card& b) { return a.wish < b.wish; });
    }

    // From below its cell; those of the front row come down beside the cells of the rear.
    void addLine(std::size_t gpu, Point end, bool isNear) const {
        const Rect& cell = m_cells[gpu];
        const double top = m_area.y;
        const bool isFront = std::any_of(m_cells.begin(), m_cells.end(),
            [&](const Rect& other) { return other.y > cell.bottom(); });
        const double width = (isNear ? 1.2 : 0.8) * m_canvas.theme.lineWidth;
        const Color color = isNear
            ? m_canvas.theme.textSecondary
            : blend(m_canvas.theme.panel, m_canvas.theme.textSecondary, kFaint);
        const double gap = m_cells.size() > 1 ? gapOfCells() : 0.0;
        Point start{cell.x + cell.width / 2.0, top};
        if (isFront) {
            start.x = cell.right() + gap / 2.0;
            m_canvas.line(
                {start.x, cell.bottom() - 0.2 * cell.height}, {start.x, top}, color, width);
        } else {
            m_canvas.line({start.x, cell.bottom()}, start, color, width);
        }
        m_canvas.line(start, end, color, width);
    }

    [[nodiscard]] double gapOfCells() const {
        const double gap = m_cells[1].x - m_cells[0].right();
        return std::max(gap, 0.0);
    }

    void addCard(const Card& card, const Rect& box) const {
        m_canvas.fill(box, m_canvas.theme.line, 0.2 * box.height);
        const auto& device = m_topology.devices()[card.device];
        for (const std::string& name : {device.name, std::to_string(device.index)}) {
            if (m_canvas.width(name) > 0.94 * box.width)
                continue;
            m_canvas.text({box.x + box.width / 2.0, m_canvas.centred(box)}, name,
                legibleOn(m_canvas.theme.text, m_canvas.theme.line, 4.5), TextRole::Small,
                Align::Centre);
            break;
        }
    }

    const Canvas& m_canvas;
    const layout::Topology& m_topology;
    const layout::ClusterNode& m_node;
    const std::vector<Rect>& m_cells;
    Rect m_area;
    std::vector<Card> m_cards;
};

} // namespace

void addNics(const Canvas& canvas, const layout::Topology& topology,
    const layout::ClusterNode& node, const std::vector<Rect>& cells, const Rect& area) {
    if (!topology.connectedNics().empty() && cells.size() == node.gpus.size())
        Strip(canvas, topology, node, cells, area).add();
}

} // namespace trainscope::plot
