#pragma once
// Reads Python pickles of plain values: None, booleans, numbers, texts, lists, tuples and dicts, of
// protocols 1 to 5 (Python's pickletools lists the opcodes). A pickle is a program for a stack
// machine; the opcodes that load, call or build anything are refused by name, so that nothing of it
// can be run. Dicts are offered to the caller as soon as they are whole, who may take them, so that
// memory does not grow with the file.
//
// Limits, beyond which a pickle is refused: kMostCells values at a time, kMostMemo values to refer
// back to, kMostTextBytes of different texts, kLongestText, kDeepest open lists and dicts.

#include "importers/common/Source.h"

#include <bit>
#include <deque>
#include <unordered_map>

namespace trainscope::importers {

struct PickleValue {
    enum class Kind : std::uint8_t {
        None,
        Boolean,
        Integer, // also of a boolean: 0 or 1
        Real, // also an integer that 64 bits cannot hold
        Text, // or bytes
        List, // or a tuple
        Dict,
        Handle, // a number that the caller put in the place of a list or dict
        Taken, // its caller has taken it
    };
    Kind kind = Kind::None;
    std::uint32_t version = 0; // the list's or dict's
    std::int64_t number = 0; // value, bits of a real, handle, or place of text, list or dict

    [[nodiscard]] double real() const {
        return kind == Kind::Real ? std::bit_cast<double>(number) : static_cast<double>(number);
    }
    [[nodiscard]] bool isList() const { return kind == Kind::List; }
    [[nodiscard]] bool isDict() const { return kind == Kind::Dict; }
};

class PickleReader {
public:
    static constexpr std::size_t kMostCells = std::size_t{8} << 20;
    static constexpr std::size_t kMostMemo = std::size_t{24} << 20;
    static constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;
    static constexpr std::size_t kLongestText = std::size_t{1} << 20;
    static constexpr std::size_t kDeepest = 1000;
    static constexpr std::size_t kMostKeys = 64; // in a dict that is offered

    // Told of a dict when items were put into it, with the list that it will be appended to, if
    // any. A value in return takes the dict's place; no value leaves it.
    using TakeDict = std::function<Result<std::optional<PickleValue>>(
        const PickleValue& dict, const std::optional<PickleValue>& list)>;
    // Asked every few MiB; false ends the reading with Cancelled.
    using GoesOn = std::function<bool()>;

    PickleReader(ByteStream& stream, TakeDict take)
        : m_stream(stream)
        , m_take(std::move(take)) { }

    // The whole value. Unreadable: damaged, cut short, beyond a limit or not plain, with the byte
    // at which; what was taken before is taken.
    Result<PickleValue> read(const GoesOn& goesOn = {});

    // nullptr: no such key, or no dict.
    [[nodiscard]] const PickleValue* member(const PickleValue& dict, std::string_view key) const;
    // Items of a list, keys and values of a dict in turn; empty for anything else.
    [[nodiscard]] std::span<const PickleValue> items(const PickleValue& value) const;
    [[nodiscard]] std::string_view text(const PickleValue& value) const; // empty for no text
    // Puts a handle in the place of a list, whose items are forgotten.
    void replace(const PickleValue& list, std::uint32_t handle);

    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] bool isCut() const { return m_isCut; } // the file ended inside of the value

private:
    struct Container {
        std::vector<PickleValue> items;
        std::uint32_t version = 1;
        std::uint32_t memo = 0; // place in m_memo + 1; 0: none
        bool isPinned = false; // stands there twice
    };
    struct Remembered {
        PickleValue::Kind kind = PickleValue::Kind::None;
        std::uint32_t at = 0;
    };

    Status step(std::uint8_t opcode);
    Status stepOfNumbers(std::uint8_t opcode);
    Status stepOfTexts(std::uint8_t opcode);
    Status stepOfLists(std::uint8_t opcode);
    Status stepOfMemo(std::uint8_t opcode);
    Status refuse(std::uint8_t opcode);

    Result<std::string_view> bytesOf(std::size_t count);
    Result<std::uint64_t> unsignedOf(std::size_t bytes);
    Status fill();
    Status push(PickleValue value);
    Status pushLong(std::uint64_t bytes);
    Status pushText(std::uint64_t size);
    Status pushContainer(PickleValue::Kind kind, std::size_t from);
    Result<std::size_t> popMark();
    Status append(std::size_t from);
    Status put(std::size_t from);
    Status offer(std::size_t place);
    Status remember(std::uint64_t at);
    Status recall(std::uint64_t at);
    Status need(std::size_t values);
    [[nodiscard]] std::optional<PickleValue> listAbove(std::size_t place) const;
    [[nodiscard]] const Container* container(const PickleValue& value) const;
    void forget(const PickleValue& value);
    Status countCells(std::size_t more);
    [[nodiscard]] Error problem(std::string text) const;

    ByteStream& m_stream;
    TakeDict m_take;
    std::vector<std::byte> m_block;
    std::size_t m_used = 0;
    std::size_t m_size = 0;
    std::uint64_t m_bytes = 0; // taken of the stream
    std::string m_piece;
    bool m_isCut = false;
    std::vector<PickleValue> m_stack;
    std::vector<std::size_t> m_marks; // places in m_stack
    std::deque<Remembered> m_memo;
    std::deque<std::string> m_texts;
    std::unordered_map<std::string_view, std::uint32_t> m_textIndex;
    std::size_t m_textBytes = 0;
    std::vector<Container> m_containers;
    std::vector<std::uint32_t> m_free; // containers that were forgotten
    std::size_t m_cells = 0; // in containers and on the stack
};

} // namespace trainscope::importers
