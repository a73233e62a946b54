/** The report as JUnit XML and as a page for the browser. */
import type { ParityFinding, ParityReport } from '../../client/protocol/control/parity.js'
import { countByAxis, scoreLine } from '../../client/protocol/model/parity.js'

/** Escapes text for XML and HTML. Drops control characters, which XML cannot hold. */
function escaped(text: string): string {
  const entities: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no form for them.
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<>"]/g, (one) => entities[one] ?? one)
}

export function junitReport({ cases, findings }: ParityReport): string {
  const lines = cases.map(({ id, axis, result, why }) => {
    const head = `<testcase classname="parity.${escaped(axis)}" name="${escaped(id)}"`
    if (result === 'same') return `  ${head}/>`
    if (result !== 'differs') return `  ${head}><skipped message="${escaped(`${result}: ${why ?? ''}`)}"/></testcase>`
    const finding = findings.find((one) => one.id === id)
    if (!finding) return `  ${head}/>`
    if (finding.accepted)
      return `  ${head}><skipped message="${escaped(`accepted: ${finding.accepted.reason}`)}"/></testcase>`
    return `  ${head}><failure type="${finding.level}" message="${escaped(finding.part)}">${escaped(sides(finding))}</failure></testcase>`
  })
  const failures = findings.filter(({ accepted }) => accepted === null).length
  const skipped = lines.filter((line) => line.includes('<skipped')).length
  const counts = `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="svc parity" ${counts}>\n${lines.join('\n')}\n</testsuite>\n`
}

function sides({ here, there, change, mendedBy }: ParityFinding): string {
  return `emulator: ${JSON.stringify(here)}\nservice: ${JSON.stringify(there)}\n${change ?? `${mendedBy} mends it.`}`
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse}td,th{padding:.25rem .75rem;text-align:right;border-bottom:1px solid #8884}td:first-child,th:first-child{text-align:left}
pre{overflow:auto;background:#8882;padding:.75rem;border-radius:.375rem;white-space:pre-wrap;overflow-wrap:anywhere}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1rem}.breaks{color:#c62828}.minor{color:#b26a00}`

/** Needs no scripts and loads nothing. */
export function htmlReport(report: ParityReport): string {
  const { cases, findings, advice, facts, url, at, run } = report
  const rows = countByAxis(cases).map(
    ({ axis, same, differs, notApplicable, notTried }) =>
      `<tr><td>${escaped(axis)}</td><td>${same}</td><td>${differs}</td><td>${notApplicable}</td><td>${notTried}</td></tr>`,
  )
  const head = ['Axis', 'Same', 'Differs', 'Not applicable', 'Not tried'].map((name) => `<th scope="col">${name}</th>`)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Parity ${escaped(run)}</title><style>${style}</style></head>
<body>
<h1>Parity with ${escaped(new URL(url).host)}</h1>
<p>${escaped(at)}. ${escaped(scoreLine(report))}</p>
${facts.map((fact) => `<p>${escaped(fact)}</p>`).join('\n')}
${advice ? `<p>Mends ${advice.mends} of ${findings.length}:</p><pre>${escaped(advice.command)}</pre>` : ''}
<table><thead><tr>${head.join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
<h2>Differences</h2>
${findings.length === 0 ? '<p>None.</p>' : findings.map(findingHtml).join('\n')}
</body>
</html>
`
}

function findingHtml({ id, level, part, here, there, change, mendedBy, accepted, exchanges }: ParityFinding): string {
  const why = accepted
    ? `Accepted until ${accepted.until}: ${accepted.reason}`
    : mendedBy !== null
      ? `${mendedBy} mends it.`
      : (change ?? '')
  const side = (name: string, value: unknown, list: ParityFinding['exchanges']['here']) => {
    const kept = list.map(({ request, status, answer }) => `${request}\n→ ${status ?? 'no answer'} ${answer}`)
    return `<div><h4>${name}</h4><pre>${escaped(JSON.stringify(value, null, 1))}</pre><details><summary>Requests</summary><pre>${escaped(kept.join('\n\n'))}</pre></details></div>`
  }
  return `<h3><span class="${level}">${level}</span> ${escaped(id)}: ${escaped(part)}</h3>
<p>${escaped(why)}</p>
<div class="sides">${side('Emulator', here, exchanges.here)}${side('Service', there, exchanges.there)}</div>`
}
