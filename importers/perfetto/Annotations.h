#pragma once
// Debug annotations of a track event (debug_annotation.proto), and other values, as the members of
// a JSON object.

#include "importers/perfetto/Packets.h"

namespace trainscope::importers::perfetto {

// Members as strict JSON, and where each stands in the text.
class Members {
public:
    struct Place {
        std::size_t key = 0;
        std::size_t value = 0;
        std::size_t end = 0;
    };

    void clear();
    void add(std::string_view key, std::string_view json);
    void add(const Members& others);
    // Nothing for one without a key, nor for one that makes the text longer than `longest`; what
    // lies deeper than 16 values is left out.
    void addAnnotation(std::string_view annotation, const Sequence& sequence, std::size_t longest);
    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }

private:
    std::string m_text;
    std::vector<Place> m_places;
};

std::string inQuotes(std::string_view text);
// null for what is not finite.
std::string realJson(double value);

} // namespace trainscope::importers::perfetto
