#include "web/DisplayList.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace trainscope::web {
namespace {

class Words {
public:
    void operator()(const plot::FillRect& item) {
        add(1, item.rect, item.fill, item.radius, item.hatch == plot::Hatch::Diagonal);
    }
    void operator()(const plot::Line& item) {
        add(2, item.from, item.to, item.color, item.width, item.dashed);
    }
    void operator()(const plot::Polyline& item) {
        add(3, item.color, item.width, item.points.size(), item.points);
    }
    void operator()(const plot::Columns& item) {
        add(4, item.area, item.color, item.isSloped, item.top.size(), item.top, item.bottom);
    }
    void operator()(const plot::HeatStrip& item) {
        add(5, item.area, item.rows, item.columns, item.cells);
    }
    void operator()(const plot::Bars& item) {
        add(6, item.area, item.bars.size());
        for (const plot::Bar& bar : item.bars)
            add(bar.left, bar.right, bar.color, bar.from, bar.to);
    }
    void operator()(const plot::Label& item) {
        add(7, item.anchor, item.color, static_cast<int>(item.role), static_cast<int>(item.align),
            item.bold, item.rotation, m_text.size(), item.text.size());
        m_text += item.text;
    }
    void operator()(const plot::Chart& /*item*/) { } // of Qt Charts

    template <typename... Values>
    void add(const Values&... values) {
        (put(values), ...);
    }
    [[nodiscard]] std::vector<std::uint8_t> finish() {
        m_words.front() = static_cast<std::uint32_t>(m_words.size());
        std::vector<std::uint8_t> bytes(4 * m_words.size() + m_text.size());
        std::memcpy(bytes.data(), m_words.data(), 4 * m_words.size());
        std::memcpy(bytes.data() + 4 * m_words.size(), m_text.data(), m_text.size());
        return bytes;
    }

private:
    template <typename Value>
    void put(const Value& value) {
        if constexpr (std::is_floating_point_v<Value>)
            m_words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
        else
            m_words.push_back(static_cast<std::uint32_t>(value));
    }
    void put(const plot::Color& color) { m_words.push_back(std::bit_cast<std::uint32_t>(color)); }
    void put(const plot::Point& point) { add(point.x, point.y); }
    void put(const plot::Rect& rect) { add(rect.x, rect.y, rect.width, rect.height); }
    template <typename Value>
    void put(const std::vector<Value>& values) {
        for (const Value& value : values)
            put(value);
    }

    std::vector<std::uint32_t> m_words;
    std::string m_text;
};

} // namespace

std::vector<std::uint8_t> displayList(const plot::PlotScene& scene) {
    Words words;
    words.add(0, scene.width, scene.height, scene.background);
    for (const auto& item : scene.items)
        std::visit(words, item);
    return words.finish();
}

} // namespace trainscope::web
