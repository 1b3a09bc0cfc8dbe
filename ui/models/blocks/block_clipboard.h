#pragma once

#include "ui/models/blocks/block.h"

#include <QString>

#include <span>

class QMimeData;

namespace alcove::ui {

/// Blocks as HTML of their own, without references to anything outside but the links that were
/// written.
QString blocksToHtml(std::span<const Block> blocks);
/// Blocks as they are shown, without markup.
QString blocksToText(std::span<const Block> blocks);
QString tableToMarkdown(const TableData& table);

/// Puts both formats on the clipboard.
void copyToClipboard(const QString& text, const QString& html);

} // namespace alcove::ui
