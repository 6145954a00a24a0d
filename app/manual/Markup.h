#pragma once
// The markup of the manual's pages: the part of Markdown that a help page needs, as blocks that the
// window and the man pages are written from.
//
// A page begins with "# Title" and "> what it is about". Below stand "## Section" and "###
// Subsection", paragraphs, "- items", definitions (a line with the term, below it ": its text"),
// "| tables |" with a head, and code between "```" lines. Lines of one paragraph, item or
// definition are joined. Inline: `code`, **strong**, *emphasis* and [text](place), none inside
// another; a place is "page", "page#section", "#section" or a web address.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::app::manual {

struct Piece {
    enum class Kind { Plain, Code, Strong, Emphasis, Link };
    Kind kind = Kind::Plain;
    std::string text;
    std::string place = {}; // target of a link

    bool operator==(const Piece&) const = default;
};
using Line = std::vector<Piece>;

struct Block {
    enum class Kind { Heading, Paragraph, Item, Term, Definition, Table, Code };
    Kind kind = Kind::Paragraph;
    Line line = {};
    int level = 0; // heading: 2 or 3
    std::string anchor = {}; // heading: "step-time"
    std::vector<std::vector<Line>> rows = {}; // table; the first is its head
    std::string code = {};
};

struct Markup {
    std::string title;
    std::string about;
    std::vector<Block> blocks;
};

Markup parseMarkup(std::string_view text);
Line parseLine(std::string_view text);
// Without marks.
std::string plainText(const Line& line);
std::string plainText(const Block& block);
// "Step time (s)" → "step-time-s"
std::string anchorOf(std::string_view heading);

} // namespace trainscope::app::manual
