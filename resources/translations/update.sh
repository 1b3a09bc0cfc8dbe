#!/bin/sh
# Brings alcove_en.ts up to date with the sources: English needs only its plural forms. lupdate does not see nested
# namespaces, so the names of the C++ classes are completed afterwards.
set -eu
cd "$(dirname "$0")/../.."
lupdate=$(command -v lupdate || echo /usr/lib/qt6/bin/lupdate)
ts=resources/translations/alcove_en.ts
sed -i 's,<name>alcove::ui::,<name>,' "$ts"
"$lupdate" -silent -pluralonly -no-obsolete -locations none -source-language en -target-language en ui app -ts "$ts"
sed -i -E 's,<name>([A-Z][A-Za-z]*(Model|Status|Feed))<,<name>alcove::ui::\1<,' "$ts"
grep -c 'type="unfinished"' "$ts" || echo "every plural form is there"
