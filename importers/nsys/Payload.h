#pragma once
// The binary payloads that libraries attach to NVTX ranges, as Nsight Systems exports them: a
// header of 32 bytes (domain, schema, size) and the fields that the tables NVTX_PAYLOAD_SCHEMAS and
// NVTX_PAYLOAD_SCHEMA_ENTRIES describe. Types and widths as in nvToolsExtPayload.h; names of fields
// as in NCCL's nvtx_payload_schemas.h.

#include "importers/nsys/Session.h"
#include "importers/trace/NcclCalls.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::nsys {

class PayloadSchemas {
public:
    Status read(Session& session);
    [[nodiscard]] NcclPayload parse(std::string_view binary) const;

private:
    struct Field {
        std::string name;
        std::int64_t type = 0;
        std::size_t offset = 0;
    };
    std::map<std::uint64_t, std::vector<Field>> m_fields; // by schema
};

// The same fields of a payload that was exported as JSON.
NcclPayload ncclPayloadOfJson(std::string_view json);

} // namespace trainscope::importers::nsys
