#include "app/manual/Manual.h"

#include "core/model/AsciiText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace trainscope::app::manual {

namespace {

using PieceKind = Piece::Kind;
using BlockKind = Block::Kind;

// QTextDocument has no boxes for inline code: a type of its own tells it apart.
class Writer {
public:
    Writer(const Page& page, const HtmlStyle& style)
        : m_page(page)
        , m_style(style) { }

    std::string write() {
        m_html = "<style>code, pre { font-family: monospace; }</style>";
        add(fmt::format("<p style=\"font-size: {}px; font-weight: 600; margin: 0 0 {}px 0;\">{}"
                        "</p>",
            m_style.titleSize, m_style.space / 2, escapedHtml(m_page.markup.title)));
        add(fmt::format("<p style=\"color: {}; margin: 0 0 {}px 0;\">{}</p>", m_style.secondary,
            2 * m_style.space, escapedHtml(m_page.markup.about)));
        for (const Block& block : m_page.markup.blocks)
            addBlock(block);
        closeList();
        return std::move(m_html);
    }

private:
    void add(std::string_view html) { m_html += html; }

    [[nodiscard]] std::string pieceHtml(const Piece& piece) const {
        const std::string text = escapedHtml(piece.text);
        switch (piece.kind) {
        case PieceKind::Plain:
            return text;
        case PieceKind::Code:
            return "<code>" + text + "</code>";
        case PieceKind::Strong:
            return "<b>" + text + "</b>";
        case PieceKind::Emphasis:
            return "<i>" + text + "</i>";
        case PieceKind::Link:
            break;
        }
        const std::string place
            = piece.place.starts_with('#') ? m_page.id + piece.place : piece.place;
        return fmt::format("<a href=\"{}\" style=\"color: {}; text-decoration: none;\">{}</a>",
            escapedHtml(place), m_style.accent, text);
    }
    [[nodiscard]] std::string lineHtml(const Line& line) const {
        std::string html;
        for (const Piece& piece : line)
            html += pieceHtml(piece);
        return html;
    }

    void addBlock(const Block& block) {
        if (block.kind != BlockKind::Item)
            closeList();
        const int space = m_style.space;
        switch (block.kind) {
        case BlockKind::Heading:
            return addHeading(block);
        case BlockKind::Paragraph:
            return add(fmt::format(
                "<p style=\"margin: 0 0 {}px 0;\">{}</p>", space, lineHtml(block.line)));
        case BlockKind::Item:
            return addItem(block);
        case BlockKind::Term:
            return add(fmt::format(
                "<p style=\"margin: {}px 0 0 0;\"><b>{}</b></p>", space / 2, lineHtml(block.line)));
        case BlockKind::Definition:
            return add(fmt::format("<p style=\"margin: 0 0 {}px {}px;\">{}</p>", space, 2 * space,
                lineHtml(block.line)));
        case BlockKind::Table:
            return addTable(block);
        case BlockKind::Code:
            return add(fmt::format("<table width=\"100%\" cellpadding=\"{}\" bgcolor=\"{}\"><tr>"
                                   "<td><pre>{}</pre></td></tr></table><p style=\"margin: 0 0 "
                                   "{}px 0; font-size: 1px;\"></p>",
                space, m_style.raised, escapedHtml(trimmed(block.code)), space));
        }
    }
    void addHeading(const Block& block) {
        const bool isSection = block.level == 2;
        add(fmt::format("<p style=\"font-size: {}px; font-weight: 600; margin: {}px 0 {}px 0;\">"
                        "<a name=\"{}\">{}</a></p>",
            m_style.bodySize + (isSection ? 4 : 1), (isSection ? 3 : 2) * m_style.space,
            m_style.space / 2, block.anchor, lineHtml(block.line)));
    }
    void addItem(const Block& block) {
        if (!m_isList)
            add(fmt::format("<ul style=\"margin: 0 0 {}px 0;\">", m_style.space));
        m_isList = true;
        add("<li>" + lineHtml(block.line) + "</li>");
    }
    void closeList() {
        if (m_isList)
            add("</ul>");
        m_isList = false;
    }
    void addTable(const Block& block) {
        add(fmt::format("<table width=\"100%\" cellspacing=\"0\" cellpadding=\"{}\" "
                        "style=\"border-collapse: collapse;\">",
            m_style.space / 2));
        for (std::size_t i = 0; i < block.rows.size(); ++i) {
            add("<tr>");
            for (const Line& cell : block.rows[i])
                add(fmt::format("<td style=\"border-bottom: 1px solid {}; border-top: 0px; "
                                "border-left: 0px; border-right: 0px;{}\">{}</td>",
                    m_style.line, i == 0 ? " color: " + m_style.secondary + ";" : std::string(),
                    lineHtml(cell)));
            add("</tr>");
        }
        add(fmt::format(
            "</table><p style=\"margin: 0 0 {}px 0; font-size: 1px;\"></p>", m_style.space));
    }

    const Page& m_page;
    const HtmlStyle& m_style;
    std::string m_html;
    bool m_isList = false;
};

// The first of the words at or behind a place in the text, which is in lower case.
std::pair<std::size_t, std::size_t> nextWord(
    const std::string& text, const std::vector<std::string>& words, std::size_t from) {
    std::pair<std::size_t, std::size_t> best{text.size(), 0};
    for (const std::string& word : words) {
        const std::size_t at = text.find(word, from);
        if (at < best.first || (at == best.first && word.size() > best.second))
            best = {at, word.size()};
    }
    return best;
}

// The code point that the UTF-8 text begins with, which is taken off it.
std::uint32_t takeCodePoint(std::string_view& text) {
    const auto byte = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < std::min(length, text.size()); ++i)
        code = code << 6U | (byte(i) & 0x3FU);
    text.remove_prefix(std::min(length, text.size()));
    return code;
}

// Hyphens of names are typed by the reader, so they stay what they are.
std::string escapedText(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::uint32_t code = takeCodePoint(text);
        if (code == '\\')
            result += "\\e";
        else if (code == '-')
            result += "\\-";
        else if (code < 0x80)
            result += static_cast<char>(code);
        else
            result += fmt::format("\\[u{:04X}]", code);
    }
    return result;
}

std::string manName(std::string_view page) {
    return fmt::format("\\fBtrainscope\\-{}\\fR(7)", escapedText(page));
}

std::string pieceText(const Piece& piece, const Page& page) {
    const std::string text = escapedText(piece.text);
    switch (piece.kind) {
    case PieceKind::Plain:
        return text;
    case PieceKind::Code:
    case PieceKind::Strong:
        return "\\fB" + text + "\\fR";
    case PieceKind::Emphasis:
        return "\\fI" + text + "\\fR";
    case PieceKind::Link:
        break;
    }
    const Place place = placeOf(piece.place);
    if (place.page.empty() || place.page == page.id)
        return text;
    return fmt::format("{} ({})", text,
        findPage(place.page) == nullptr ? escapedText(piece.place) : manName(place.page));
}

// A dot or a quote at the beginning of a line would be a request.
std::string manLine(const Line& line, const Page& page) {
    std::string text;
    for (const Piece& piece : line)
        text += pieceText(piece, page);
    return text.starts_with('.') || text.starts_with('\'') ? "\\&" + text : text;
}

// The first cell is the term, the others what is said of it.
std::string tableText(const Block& table, const Page& page) {
    std::string text;
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        text += fmt::format(".TP\n\\fB{}\\fR\n", manLine(table.rows[i].front(), page));
        std::string said;
        for (std::size_t k = 1; k < table.rows[i].size(); ++k) {
            const std::string cell = manLine(table.rows[i][k], page);
            said += (said.empty() || cell.empty() ? "" : "; ") + cell;
        }
        text += said + "\n";
    }
    return text;
}

std::string codeText(const Block& block) {
    std::string text = ".PP\n.RS 4\n.nf\n";
    std::string_view rest = block.code;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line = escapedText(rest.substr(0, end));
        text += (line.starts_with('.') || line.starts_with('\'') ? "\\&" : "") + line + "\n";
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return text + ".fi\n.RE\n";
}

std::string blockText(const Block& block, const Page& page) {
    const std::string line = manLine(block.line, page);
    switch (block.kind) {
    case BlockKind::Heading:
        return block.level == 2 ? ".SH " + escapedText(inCapitals(plainText(block.line))) + "\n"
                                : ".SS " + escapedText(plainText(block.line)) + "\n";
    case BlockKind::Paragraph:
        return ".PP\n" + line + "\n";
    case BlockKind::Item:
        return ".IP \\(bu 2\n" + line + "\n";
    case BlockKind::Term:
        return ".TP\n\\fB" + line + "\\fR\n";
    case BlockKind::Definition:
        return line + "\n";
    case BlockKind::Table:
        return tableText(block, page);
    case BlockKind::Code:
        return codeText(block);
    }
    return {};
}

std::string seeAlso(const Page& page) {
    std::string text = ".SH SEE ALSO\n\\fBtrainscope\\fR(1), \\fBtrainscope\\-cli\\fR(1)";
    for (const Page& other : pages()) {
        if (other.id != page.id)
            text += ",\n" + manName(other.id);
    }
    return text + "\n";
}

} // namespace

std::string escapedHtml(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '&')
            result += "&amp;";
        else if (c == '"')
            result += "&quot;";
        else
            result += c;
    }
    return result;
}

std::string htmlPage(const Page& page, const HtmlStyle& style) {
    return Writer(page, style).write();
}

std::string withBoldWords(const std::string& text, const std::vector<std::string>& words) {
    const std::string all = lowered(text);
    std::string html;
    std::size_t from = 0;
    while (from < text.size()) {
        const auto [at, length] = nextWord(all, words, from);
        html += escapedHtml(std::string_view(text).substr(from, at - from));
        if (length > 0)
            html += "<b>" + escapedHtml(std::string_view(text).substr(at, length)) + "</b>";
        from = at + length;
    }
    return html;
}

std::string manPage(const Page& page) {
    std::string text
        = fmt::format(".TH TRAINSCOPE\\-{} 7 \"\" \"Trainscope {}\" \"Trainscope manual\"\n"
                      ".SH NAME\ntrainscope\\-{} \\- {}\n",
            escapedText(inCapitals(page.id)), TRAINSCOPE_VERSION, escapedText(page.id),
            escapedText(page.markup.about));
    const auto& blocks = page.markup.blocks;
    if (!blocks.empty() && blocks.front().kind != BlockKind::Heading)
        text += ".SH DESCRIPTION\n";
    for (const Block& block : blocks)
        text += blockText(block, page);
    return text + seeAlso(page);
}

} // namespace trainscope::app::manual
