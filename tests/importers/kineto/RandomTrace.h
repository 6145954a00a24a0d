#pragma once
// Traces made at random: every kind of event, keys in any order, any blanks, names with escapes.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace trainscope::test {

class RandomTrace {
public:
    explicit RandomTrace(unsigned seed)
        : m_random(seed) { }

    // `tidy`: the keys of all events in one order, as writers have them.
    std::string text(int events, bool tidy) {
        std::string result = "{" + blank()
            + "\"schemaVersion\":1, \"deviceProperties\": [{\"id\": 0, "
            + "\"name\": \"NVIDIA H100\"}, {\"id\": 1, \"name\": \"x\"}]," + blank()
            + "\"traceEvents\":" + blank() + "[";
        for (int i = 0; i < events; ++i)
            result += blank() + event(i, tidy) + blank() + (i + 1 < events ? "," : "");
        return result + "]," + blank() + "\"traceName\": \"t\", \"baseTimeNanoseconds\": 1700\n}\n";
    }
    int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(limit)); }

private:
    std::string blank() {
        static constexpr const char* kBlanks[] = {"", "", " ", "\n", "\n  ", "\r\n\t"};
        return kBlanks[below(6)];
    }
    std::string pick(const std::vector<std::string>& choices) {
        return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
    }
    std::string number() {
        return std::to_string(below(1'000'000))
            + pick({"", ".5", ".125", ".0", ".1234567", "e2", ""});
    }
    std::string arguments(int i) {
        std::vector<std::string> members{"\"stream\": " + std::to_string(7 + below(3)),
            "\"device\": " + std::to_string(below(2)),
            "\"correlation\": " + std::to_string(below(3) == 0 ? 0 : i),
            "\"grid\": [" + number() + ", 1,1]", "\"shared memory\":" + std::to_string(below(9)),
            "\"Input Dims\": [[1, 2], [], [[3]]]", "\"Call stack\": \"a {\\\"ph\\\": },{ b\"",
            "\"kind\": \"HtoD \\u00e9\"", "\"nested\": [{\"name\": 1},{\"name\": \"]\"}]",
            "\"Total Allocated\": 5", "\"Device Type\": 1", "\"name\": \"python\"", "\"nan\": NaN",
            "\"none\": null"};
        std::shuffle(members.begin(), members.end(), m_random);
        members.resize(static_cast<std::size_t>(below(9)));
        return joined(members);
    }
    std::string joined(const std::vector<std::string>& members) {
        std::string text = "{" + blank();
        for (std::size_t i = 0; i < members.size(); ++i)
            text += members[i] + (i + 1 < members.size() ? "," + blank() : blank());
        return text + "}";
    }
    std::string event(int i, bool tidy) {
        std::vector<std::string> members{"\"ph\": \""
                + pick({"X", "X", "X", "X", "s", "f", "B", "E", "C", "i", "M", "Z"}) + "\"",
            "\"cat\": \"" + pick({"kernel", "cpu_op", "cuda_runtime", "gpu_memcpy", "ac2g", "odd"})
                + "\"",
            "\"name\": \""
                + pick({"gemm", "aten::mm", "a\\\"b", "ProfilerStep#3", "thread_name", "\\u20ac"})
                + "\"",
            "\"pid\": " + pick({"0", "4242", "\"host\""}),
            "\"tid\": " + pick({"7", "\"stream 7 \""}), "\"ts\": " + number(),
            "\"dur\": " + pick({number(), number(), "-1", "NaN"}),
            "\"id\": " + std::to_string(i % 50), "\"args\": " + arguments(i)};
        if (!tidy)
            std::shuffle(members.begin(), members.end(), m_random);
        if (below(5) == 0)
            members.erase(members.begin() + below(static_cast<int>(members.size())));
        return joined(members);
    }

    std::mt19937 m_random;
};

} // namespace trainscope::test
