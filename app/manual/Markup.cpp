#include "app/manual/Manual.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace trainscope::app::manual {

namespace {

using PieceKind = Piece::Kind;
using BlockKind = Block::Kind;

struct Mark {
    std::string_view sign;
    PieceKind kind;
};
constexpr Mark kMarks[]{
    {"`", PieceKind::Code}, {"**", PieceKind::Strong}, {"*", PieceKind::Emphasis}};

// A piece at the begin of a text, and the number of bytes that it takes; 0: none.
struct Found {
    Piece piece;
    std::size_t length = 0;
};

Found linkAt(std::string_view text) {
    if (!text.starts_with('['))
        return {};
    const std::size_t middle = text.find("](");
    const std::size_t end = text.find(')', middle);
    if (middle == std::string_view::npos || end == std::string_view::npos)
        return {};
    return {{PieceKind::Link, std::string(text.substr(1, middle - 1)),
                std::string(text.substr(middle + 2, end - middle - 2))},
        end + 1};
}

Found pieceAt(std::string_view text) {
    for (const Mark& mark : kMarks) {
        if (!text.starts_with(mark.sign))
            continue;
        const std::size_t begin = mark.sign.size();
        const std::size_t end = text.find(mark.sign, begin);
        // A sign before a blank is a sign of multiplication.
        if (end == std::string_view::npos || end == begin || text[begin] == ' ')
            continue;
        return {{mark.kind, std::string(text.substr(begin, end - begin))}, end + begin};
    }
    return linkAt(text);
}

// "| a | b \| c |" → a, b | c
std::vector<Line> cellsOf(std::string_view text) {
    std::vector<Line> cells;
    std::string cell;
    text = trimmed(text);
    text.remove_prefix(1);
    while (!text.empty()) {
        const bool isEscaped = text.starts_with("\\|");
        if (isEscaped)
            text.remove_prefix(1);
        const char c = text.front();
        text.remove_prefix(1);
        if (isEscaped || c != '|')
            cell += c;
        if ((c == '|' && !isEscaped) || text.empty())
            cells.push_back(parseLine(trimmed(std::exchange(cell, {}))));
    }
    return cells;
}

bool isRule(std::string_view text) {
    return text.find_first_not_of("|-: ") == std::string_view::npos;
}

class Parser {
public:
    Markup parse(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            take(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        finish();
        return std::move(m_markup);
    }

private:
    void take(std::string_view line) {
        if (m_isCode || line.starts_with("```"))
            return takeCode(line);
        const std::string_view text = trimmed(line);
        if (text.empty())
            return finish();
        if (text.starts_with('|'))
            return takeRow(text);
        if (line.starts_with("# "))
            m_markup.title = trimmed(line.substr(2));
        else if (line.starts_with("> "))
            m_markup.about = trimmed(line.substr(2));
        else if (line.starts_with("## ") || line.starts_with("### "))
            takeHeading(text);
        else if (line.starts_with("- "))
            begin(BlockKind::Item, text.substr(2));
        else if (line.starts_with(": "))
            takeDefinition(text.substr(2));
        else if (m_text.empty())
            begin(BlockKind::Paragraph, text);
        else
            m_text.append(" ").append(text);
    }

    void begin(BlockKind kind, std::string_view text) {
        finish();
        m_kind = kind;
        m_text = trimmed(text);
    }
    void finish() {
        if (!m_text.empty())
            add({m_kind, parseLine(m_text)});
        m_text.clear();
        m_isTable = false;
    }
    void takeHeading(std::string_view text) {
        finish();
        const std::size_t level = text.find(' ');
        const Line line = parseLine(trimmed(text.substr(level)));
        add({BlockKind::Heading, line, static_cast<int>(level), anchorOf(plainText(line))});
    }
    // The paragraph above is the term.
    void takeDefinition(std::string_view text) {
        m_kind = BlockKind::Term;
        begin(BlockKind::Definition, text);
    }
    void takeRow(std::string_view text) {
        if (!m_isTable) {
            finish();
            add({BlockKind::Table});
            m_isTable = true;
        }
        if (!isRule(text))
            m_markup.blocks.back().rows.push_back(cellsOf(text));
    }
    void takeCode(std::string_view line) {
        const bool isFence = line.starts_with("```");
        if (isFence && !m_isCode) {
            finish();
            add({BlockKind::Code});
        }
        if (isFence)
            m_isCode = !m_isCode;
        else
            m_markup.blocks.back().code.append(line).append("\n");
    }
    void add(Block block) { m_markup.blocks.push_back(std::move(block)); }

    Markup m_markup;
    BlockKind m_kind = BlockKind::Paragraph;
    std::string m_text; // text of the block under way
    bool m_isTable = false;
    bool m_isCode = false;
};

// Names in bold text are code, too: three pieces.
void addPiece(Piece piece, Line& line) {
    if (piece.kind != PieceKind::Strong)
        return line.push_back(std::move(piece));
    for (Piece& inner : parseLine(piece.text)) {
        inner.kind = inner.kind == PieceKind::Plain ? PieceKind::Strong : inner.kind;
        line.push_back(std::move(inner));
    }
}

} // namespace

Markup parseMarkup(std::string_view text) {
    return Parser().parse(text);
}

Line parseLine(std::string_view text) {
    Line line;
    std::string plain;
    const auto flush = [&] {
        if (!plain.empty())
            line.push_back({PieceKind::Plain, std::move(plain)});
        plain.clear();
    };
    while (!text.empty()) {
        auto found = pieceAt(text);
        if (found.length == 0) {
            plain += text.front();
            found.length = 1;
        } else {
            flush();
            addPiece(std::move(found.piece), line);
        }
        text.remove_prefix(found.length);
    }
    flush();
    return line;
}

std::string plainText(const Line& line) {
    std::string text;
    for (const Piece& piece : line)
        text += piece.text;
    return text;
}

std::string plainText(const Block& block) {
    std::string text = block.code.empty() ? plainText(block.line) : block.code;
    for (const auto& row : block.rows) {
        for (const Line& cell : row)
            text.append(text.empty() ? "" : "  ").append(plainText(cell));
    }
    return text;
}

std::string anchorOf(std::string_view heading) {
    std::string anchor;
    for (const char c : heading) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            anchor += lowerChar(c);
        else if (!anchor.empty() && anchor.back() != '-')
            anchor += '-';
    }
    while (anchor.ends_with('-'))
        anchor.pop_back();
    return anchor;
}

} // namespace trainscope::app::manual
