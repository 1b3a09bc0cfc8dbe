#pragma once

#include "ui/models/blocks/block.h"

namespace alcove::ui {

/// The address of a link if it may be followed (http, https, mailto), else nothing.
QString allowedLinkTarget(const QString& address);

/// Whether the text of a link reads like an address of another host than the one it leads to.
bool looksLikeOtherAddress(QStringView text, const QString& target);

/// Code spans and addresses of a text that is shown as typed; the marks stay in the text.
Spans spansAsTyped(QStringView text);

/// Cells between tabs, rows between line ends: the text of a table for selecting and copying.
QString tableText(const TableData& table);

} // namespace alcove::ui
