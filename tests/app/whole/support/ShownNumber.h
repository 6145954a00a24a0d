#pragma once
// Numbers as the places of the program show them, and which of them contradict each other.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::test {

// Windows; others are called as the place words them.
inline const std::string kWholeRun = "the run";
inline const std::string kTraced = "all that was traced";

struct ShownNumber {
    std::string place; // "summary", "inspector"
    std::string subject; // a run, or a part of it: "training, rank 0"
    std::string window;
    std::string key; // quantity: "energy_j"
    double value = 0.0; // SI
    double step = 0.0; // one in its last digit, SI; 0: all digits are shown
    std::string text = {}; // as it stands there
};

// Collects the numbers of one place.
class PlaceNumbers {
public:
    PlaceNumbers(std::string place, std::vector<ShownNumber>& all)
        : m_place(std::move(place))
        , m_all(all) { }

    void add(const std::string& subject, const std::string& window, const std::string& key,
        double value) {
        addRounded(subject, window, key, value, 0.0);
    }
    void addRounded(const std::string& subject, const std::string& window, const std::string& key,
        double value, double step) {
        m_all.push_back({m_place, subject, window, key, value, step});
    }
    // The first number of that unit in the text; nothing where there is none.
    void read(const std::string& subject, const std::string& window, const std::string& key,
        const std::string& text, std::string_view unit);

private:
    std::string m_place;
    std::vector<ShownNumber>& m_all;
};

// A number in a text.
struct TextNumber {
    double value = 0.0; // SI
    double step = 0.0; // one in its last digit
    std::string unit; // SI: "W"; "1" of plain numbers and percentages
    std::string text; // "2.55 min"
};
// Durations of several parts, "2 min 33 s", are one.
std::vector<TextNumber> numbersIn(const std::string& text);

// Within what the digits of both leave open.
bool agree(double value, double step, double other, double otherStep);

struct Contradiction {
    ShownNumber finest; // finest for that quantity, subject and window
    ShownNumber other;
    [[nodiscard]] std::string wording() const;
};
// Each number that disagrees with the one of most digits of the same key, subject and window.
std::vector<Contradiction> contradictionsIn(const std::vector<ShownNumber>& numbers);

// Quantities, subjects and windows of which two places or more show a number.
std::size_t sharedQuantities(const std::vector<ShownNumber>& numbers);

} // namespace trainscope::test
