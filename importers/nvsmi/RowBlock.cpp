#include "importers/nvsmi/RowBlock.h"

#include "core/model/AsciiText.h"
#include "importers/common/TextCleaning.h"

#include <cstring>
#include <limits>
#include <utility>

namespace trainscope::importers::nvsmi {

namespace {

constexpr std::size_t kUsualRow = 64; // bytes, for the first guess at the number of rows

class Reader {
public:
    Reader(std::shared_ptr<const LineBlock> block, std::shared_ptr<const Layout> layout)
        : m_parser(*layout) {
        m_out.source = std::move(block);
        m_out.layout = std::move(layout);
        const std::size_t rows = m_out.source->size / kUsualRow;
        m_out.rows.reserve(rows);
        m_out.numbers.reserve(rows * m_out.layout->columns.size());
    }

    RowBlock read(std::int64_t firstLine) {
        const char* p = m_out.source->bytes.get();
        const char* const end = p + m_out.source->size;
        while (p < end) {
            const auto* lineEnd
                = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
            ++m_out.lines;
            if (m_out.lines >= firstLine)
                line({p, static_cast<std::size_t>(lineEnd - p)});
            p = lineEnd + 1;
        }
        return std::move(m_out);
    }

private:
    void line(std::string_view text) {
        if (m_out.source->isCut || text.size() > RowBlock::kLongestLine)
            return note({}, "The line is longer than 1 MiB.");
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        if (std::memchr(text.data(), '\x1b', text.size()) == nullptr)
            return row(text);
        row(withoutEscapes(text));
    }

    void row(std::string_view text) {
        const std::string_view plain = trimmed(text);
        if (plain.empty() || plain == "\"")
            return;
        const auto parsed = m_parser.parse(text);
        if (!parsed.hasValue())
            return note(text, parsed.error().message);
        const ParsedRow& found = *parsed.value();
        BlockRow row{m_out.lines, found.stamp, identityOf(found), -1};
        if (!found.badCell.empty()) {
            row.note = static_cast<int>(m_out.notes.size());
            m_out.notes.push_back({found.badCell, {}});
        }
        m_out.rows.push_back(row);
        m_out.numbers.insert(m_out.numbers.end(), found.numbers.begin(), found.numbers.end());
    }

    void note(std::string_view text, std::string problem) {
        m_out.rows.push_back({m_out.lines, {}, -1, static_cast<int>(m_out.notes.size())});
        m_out.notes.push_back({std::move(problem), std::string(text)});
        m_out.numbers.resize(m_out.numbers.size() + m_out.layout->columns.size(), kMissing);
    }

    // GPUs take turns: the one behind that of the last row is the likeliest.
    int identityOf(const ParsedRow& row) {
        const std::size_t count = m_out.identities.size();
        for (std::size_t i = 1; i <= count; ++i) {
            const std::size_t at = (m_lastIdentity + i) % count;
            const RowIdentity& known = m_out.identities[at];
            if (known.gpu == row.gpu && known.host == row.host && known.uuid == row.uuid
                && known.model == row.model) {
                m_lastIdentity = at;
                return static_cast<int>(at);
            }
        }
        m_lastIdentity = count;
        m_out.identities.push_back({std::string(row.host), std::string(row.gpu),
            std::string(row.model), std::string(row.uuid)});
        return static_cast<int>(count);
    }

    RowParser m_parser;
    RowBlock m_out;
    std::size_t m_lastIdentity = 0;
};

} // namespace

RowBlock readRows(std::shared_ptr<const LineBlock> block, std::shared_ptr<const Layout> layout,
    std::int64_t firstLine) {
    return Reader(std::move(block), std::move(layout)).read(firstLine);
}

} // namespace trainscope::importers::nvsmi
