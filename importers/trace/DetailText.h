#pragma once
// The arguments of a span as the JSON object that is kept beside it.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trainscope::importers {

class DetailText {
public:
    DetailText& add(std::string_view key, std::int64_t value);
    DetailText& add(std::string_view key, std::string_view value);
    DetailText& add(std::string_view key, std::span<const std::int64_t> values);
    // Empty without members; begins anew.
    std::string take();

private:
    void begin(std::string_view key);

    std::string m_text;
};

// Details of the collective of a kernel of NCCL or RCCL, in the words that PyTorch's traces have
// for it, so that analyses read both: "Collective name", "In msg nelems", "Out msg nelems", "Group
// size", "dtype", "Process Group Name". NCCL tells sizes in bytes; elements are of the type in the
// kernel's name, else bytes.

// Fields of a call by NCCL; absent: not among them.
struct NcclPayload {
    std::optional<std::uint64_t> communicator;
    std::optional<std::int64_t> bytes; // the message's, as NCCL counts it
    std::optional<std::int64_t> ranks; // the communicator's
    std::optional<std::int64_t> rank; // in the communicator
    std::optional<std::int64_t> peer;
    std::optional<std::int64_t> root;

    [[nodiscard]] bool isEmpty() const { return !communicator && !bytes && !ranks; }
};

// A call of NCCL, by its range in NCCL's domain: "ncclAllReduce".
struct NcclCall {
    std::string_view collective; // "all_reduce"; empty: no collective (ncclGroupEnd)
    NcclPayload payload;
    int merged = 1; // calls of one kind that one kernel did
};

// Empty for names that are no collective of NCCL.
std::string_view collectiveOf(std::string_view ncclFunction);

// Also of RCCL and MSCCL.
bool isNcclKernel(std::string_view kernelName);

// Sizes of communicators, as their creation tells them.
class Communicators {
public:
    void add(const NcclPayload& payload);
    [[nodiscard]] std::int64_t sizeOf(std::uint64_t communicator) const; // 0: not said
    // The largest, with this process's rank in it; nullptr: none was seen being made.
    [[nodiscard]] const NcclPayload* largest() const;

private:
    std::map<std::uint64_t, NcclPayload> m_known;
};

// Adds what is known of the call to the detail of its kernel.
void appendCollective(const NcclCall& call, std::string_view kernelName,
    const Communicators& communicators, DetailText& detail);

} // namespace trainscope::importers
