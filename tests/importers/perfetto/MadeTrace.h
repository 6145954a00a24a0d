#pragma once
// Perfetto traces made in memory: the wire format of protocol buffers written by hand, with the
// field numbers of google/perfetto, protos/perfetto/trace.

#include "importers/xplane/MadeSpace.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::test {

// A debug annotation, with what makes its value.
template <typename... Value>
std::string madeAnnotation(std::string_view key, const Value&... value) {
    MadeMessage message;
    if (!key.empty())
        message.bytes(10, key);
    const auto add = [&message](const auto& part) {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, double>)
            message.real(5, part);
        else if constexpr (std::is_integral_v<Part>)
            message.number(4, static_cast<std::int64_t>(part));
        else if constexpr (std::is_convertible_v<Part, std::string_view>)
            message.bytes(6, part);
        else
            for (const auto& inner : part.second)
                message.bytes(part.first, inner); // 11: of a dictionary, 12: of a list
    };
    (add(value), ...);
    return message.text();
}
using MadeInner = std::pair<unsigned, std::vector<std::string>>;

class MadePerfetto {
public:
    static constexpr unsigned kSequence = 7;

    MadePerfetto& packet(MadeMessage message) {
        m_bytes += MadeMessage().bytes(1, message.text()).text();
        return *this;
    }
    // Names and categories by number, from 1, behind a cleared state.
    MadePerfetto& names(const std::vector<std::string>& names,
        const std::vector<std::string>& categories, const std::string& more = {}) {
        MadeMessage interned;
        for (std::size_t i = 0; i < categories.size(); ++i)
            interned.bytes(1, entry(i + 1, categories[i]));
        for (std::size_t i = 0; i < names.size(); ++i)
            interned.bytes(2, entry(i + 1, names[i]));
        return packet(
            MadeMessage().number(10, kSequence).number(13, 1).bytes(12, interned.text() + more));
    }
    static std::string entry(std::size_t number, std::string_view name) {
        return MadeMessage().number(1, static_cast<std::int64_t>(number)).bytes(2, name).text();
    }
    MadePerfetto& thread(
        std::int64_t uuid, std::int64_t pid, std::int64_t tid, std::string_view name) {
        const std::string thread
            = MadeMessage().number(1, pid).number(2, tid).bytes(5, name).text();
        return packet(MadeMessage().bytes(
            60, MadeMessage().number(1, uuid).number(5, pid).bytes(4, thread).text()));
    }
    MadePerfetto& named(std::int64_t uuid, std::int64_t parent, std::string_view name) {
        return packet(MadeMessage().bytes(
            60, MadeMessage().number(1, uuid).number(5, parent).bytes(2, name).text()));
    }
    MadePerfetto& process(std::int64_t uuid, std::int64_t pid) {
        const std::string process = MadeMessage().number(1, pid).text();
        return packet(
            MadeMessage().bytes(60, MadeMessage().number(1, uuid).bytes(3, process).text()));
    }
    // An event of that sequence which needs its state.
    MadePerfetto& event(std::int64_t ns, const MadeMessage& event, unsigned field = 11) {
        return packet(MadeMessage()
                          .number(8, ns)
                          .number(10, kSequence)
                          .number(13, 2)
                          .bytes(field, event.text()));
    }
    MadePerfetto& begin(std::int64_t ns, std::int64_t track, std::int64_t name,
        std::int64_t category, const std::vector<std::string>& annotations = {},
        const std::vector<std::int64_t>& flows = {}) {
        MadeMessage made;
        made.number(9, 1).number(11, track).number(10, name);
        if (category > 0)
            made.number(3, category);
        for (const std::string& annotation : annotations)
            made.bytes(4, annotation);
        for (const std::int64_t flow : flows)
            made.fixed(47, flow);
        return event(ns, made);
    }
    MadePerfetto& end(std::int64_t ns, std::int64_t track) {
        return event(ns, MadeMessage().number(9, 2).number(11, track));
    }
    [[nodiscard]] const std::string& text() const { return m_bytes; }

private:
    std::string m_bytes;
};

} // namespace trainscope::test
