#pragma once
// Facts of a job in a log with NCCL_DEBUG=INFO (or WARN): versions, communicators with their ranks,
// rings, trees, the way of every connection, the network, settings and warnings; and the result
// table of nccl-tests. Lines are `host:pid:tid [device] NCCL INFO …`, with or without a launcher's
// prefix. Other lines of the log are passed over. The first functions read parts
// of such lines.

#include "core/layout/ProcessGroup.h"
#include "core/model/Run.h"

#include <map>
#include <set>

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

struct NcclLine {
    std::string_view host;
    std::int64_t process = 0;
    int device = -1; // CUDA's
    bool isWarning = false;
    std::string_view text;
};

// Absent: not NCCL's.
std::optional<NcclLine> ncclLine(std::string_view line);

using Process = std::pair<std::string, std::int64_t>; // host, pid

struct CommMember {
    Process process;
    int device = -1; // as CUDA numbers it
    int nodeDevice = -1; // as NVML does; -1: not said
    std::string busId;
};

struct Communicator {
    std::string id; // commId; of old versions, which have none, the number of its size
    int size = 0;
    std::map<int, CommMember> members; // by rank of the communicator
};

// A row of nccl-tests' table, out of place and in place.
struct BandwidthRow {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    std::string type;
    std::string operation; // "sum", "none"
    double timeUs = 0.0;
    double algorithmBandwidth = 0.0; // GB/s
    double busBandwidth = 0.0; // GB/s
};

class NcclLog {
public:
    // False: a line that says nothing to it.
    bool take(std::string_view line, std::int64_t number);

    [[nodiscard]] bool isEmpty() const { return m_lines == 0 && m_rows.empty(); }
    [[nodiscard]] std::int64_t lines() const { return m_lines; } // lines of NCCL
    [[nodiscard]] std::int64_t notUnderstood() const { return m_notUnderstood; }
    [[nodiscard]] const std::vector<Communicator>& communicators() const { return m_communicators; }
    // The largest communicator, whose ranks are taken for the job's; nullptr: none.
    [[nodiscard]] const Communicator* world() const;
    [[nodiscard]] std::vector<Gpu> gpus() const;
    // GPUs of the table: those above, else as nccl-tests lists them.
    [[nodiscard]] std::vector<Gpu> testedGpus() const;
    [[nodiscard]] std::vector<layout::ProcessGroup> groups() const;
    // "NCCL version", "network", "ring 0", … as a user reads them.
    [[nodiscard]] std::map<std::string, std::string> facts() const;
    // Connections by their way: "P2P/IPC/read", "NET/AWS Libfabric, GDRDMA".
    [[nodiscard]] const std::map<std::string, std::int64_t>& ways() const { return m_ways; }
    [[nodiscard]] const std::vector<std::pair<std::int64_t, std::string>>& warnings() const {
        return m_warnings;
    }
    [[nodiscard]] std::int64_t warningCount() const { return m_warningCount; }
    [[nodiscard]] const std::vector<BandwidthRow>& rows() const { return m_rows; }
    // Rows that lines of the log cut, and that never became whole.
    [[nodiscard]] std::int64_t brokenRows() const {
        return m_brokenRows + (m_piece.empty() ? 0 : 1);
    }
    // Collective of the table: "all_reduce"; as said, else by the ratio of bus to algorithm
    // bandwidth and by the connections made; empty: not known.
    [[nodiscard]] std::string testedCollective() const;

private:
    bool takeOther(std::string_view line);
    bool takeInfo(const NcclLine& line);
    bool takeCommunicator(const NcclLine& line);
    bool takeChannel(std::string_view text);
    bool takeTrees(std::string_view text);
    bool takeSetting(std::string_view text);
    bool takePiece(std::string_view& line);
    bool takeColumn(std::string_view& rest);
    void endRow();
    bool takeDevice(std::string_view line);

    std::int64_t m_lines = 0;
    std::int64_t m_notUnderstood = 0;
    std::vector<Communicator> m_communicators;
    std::map<int, std::vector<int>> m_rings; // by channel
    int m_channels = 0; // as rings are counted
    bool m_hasMessages = false; // connections for sending and receiving were made
    std::map<int, std::map<int, int>> m_trees; // channel → rank → its parent, -1: the root
    std::map<std::string, std::int64_t> m_ways;
    std::map<std::string, std::set<std::string>> m_said; // fact → its values
    std::vector<std::pair<std::int64_t, std::string>> m_warnings;
    std::int64_t m_warningCount = 0;
    std::vector<BandwidthRow> m_rows;
    std::vector<std::string> m_piece; // columns of a row that goes on in later lines
    std::size_t m_columns = 0; // in a row, as the head of the table says; 0: it has said nothing
    std::int64_t m_brokenRows = 0;
    std::string m_testName;
    double m_meanBandwidth = 0.0; // on the bus, GB/s, as the table says
    std::map<int, std::pair<std::string, std::string>> m_models; // rank → host, GPU
};

} // namespace trainscope::importers::nccl
