#pragma once
// Parts of NCCL's lines.

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers::nccl {

std::string_view firstWord(std::string_view text);
// The word behind `mark`; empty where it does not stand there.
std::string_view wordAfter(std::string_view text, std::string_view mark);
std::optional<int> numberAfter(std::string_view text, std::string_view mark);
// "NET/AWS Libfabric/3/GDRDMA" and "NET/AWS Libfabric/0(8)/GDRDMA/Shared" are ways of one kind:
// "NET/AWS Libfabric/GDRDMA".
std::string wayOf(std::string_view text);
// Text without the parts that differ from rank to rank: "… on dev 3".
std::string withoutDevice(std::string_view text);

} // namespace trainscope::importers::nccl
