#pragma once

#include "ui/models/blocks/unit_scanner.h"

#include <QString>

#include <vector>

namespace alcove::ui {

/// The text of one message and its blocks, parsed as it grows. Only what stands after the last
/// settled unit is parsed again, so an update costs the same at the end of a long answer as at its
/// start. Parsing in pieces gives the same blocks as parsing at once.
class MessageDocument {
public:
    explicit MessageDocument(Flavor flavor = Flavor::Markdown) : m_flavor(flavor) {}

    /// Replaces the text. `final`: it will not grow.
    void setSource(const QString& source, bool final);
    /// Adds to the text. Returns the first block that may differ; those before are the same as they
    /// were, but that the head of a reasoning may have been closed.
    int append(QStringView more);
    /// The text is complete. Returns the first block that may differ.
    int finish();

    const QString& source() const { return m_source; }
    bool final() const { return m_final; }
    const std::vector<Block>& blocks() const { return m_blocks; }
    /// Source without the reasoning and its marks: what Copy gives.
    QString answerSource() const;

private:
    int parseTail();

    Flavor m_flavor;
    bool m_final = false;
    QString m_source;
    std::vector<Block> m_blocks;
    // All before this point is settled.
    ScanState m_settledState;
    int m_settledPosition = 0;
    size_t m_settledBlocks = 0;
};

} // namespace alcove::ui
