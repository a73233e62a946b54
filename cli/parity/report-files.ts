/** The report as JUnit XML and as a page for the browser. */
import type { ParityFinding, ParityReport } from '../../client/protocol/control/parity.js'
import { countByAxis, levels, percent, scoreLine } from '../../client/protocol/model/parity.js'

/** Escapes text for XML and HTML. Drops control characters, which XML cannot hold. */
function escaped(text: string): string {
  const entities: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no form for them.
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<>"]/g, (one) => entities[one] ?? one)
}

export function junitReport(report: ParityReport): string {
  const { cases, findings } = report
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
  const properties = `  <properties><property name="parity" value="${escaped(scoreLine(report))}"/></properties>`
  const counts = `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="svc parity" ${counts}>\n${properties}\n${lines.join('\n')}\n</testsuite>\n`
}

function sides({ here, there, change, mendedBy }: ParityFinding): string {
  return `emulator: ${JSON.stringify(here)}\nservice: ${JSON.stringify(there)}\n${change ?? `${mendedBy} mends it.`}`
}

const style = `:root{color-scheme:light dark;--line:light-dark(#e2e2dd,#2a2d30);--sunk:light-dark(#f6f6f4,#121314);--ink:light-dark(#1a1c1e,#e9eaeb);--ink-2:light-dark(#565b60,#a4aab0);--good:light-dark(#1a7339,#6fd08c);--warn:light-dark(#865300,#e6b45c);--bad:light-dark(#b3261e,#ff8f85);--info:light-dark(#2457b8,#86adff)}
*{box-sizing:border-box}body{font:13px/20px system-ui,sans-serif;max-width:68rem;margin:0 auto;padding:24px 16px;color:var(--ink);background:light-dark(#fff,#191b1d)}
h1{font-size:15px;margin:0}h2{font-size:13px;margin:24px 0 0;padding-bottom:8px;border-bottom:1px solid var(--line)}h3{font-size:13px;margin:0}h4{font:12px/20px ui-monospace,monospace;margin:0;color:var(--ink-2)}p{margin:4px 0;color:var(--ink-2)}
.figures{display:flex;flex-wrap:wrap;margin:16px 0;padding:0;list-style:none;border:1px solid var(--line);border-radius:8px;background:var(--sunk)}.figures li{padding:12px 24px 12px 16px}.figures b{font-size:22px;line-height:28px;margin-right:8px}
table{border-collapse:collapse;font:12px/20px ui-monospace,monospace;width:100%;max-width:40rem}th{font:13px/20px system-ui,sans-serif;color:var(--ink-2)}td,th{padding:3px 12px;text-align:right}td:first-child,th:first-child{text-align:left;padding-left:0}th{border-bottom:1px solid var(--line)}
pre{margin:8px 0;padding:8px 12px;font:12px/20px ui-monospace,monospace;background:var(--sunk);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}summary{cursor:pointer;color:var(--ink-2)}
.finding{padding:12px 0;border-bottom:1px solid var(--line)}.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:0 16px;margin-top:8px}.sides>div{min-width:0}.level{font-size:11px;font-weight:600}.breaks{color:var(--bad)}.minor{color:var(--warn)}.note{color:var(--info)}`

/** Needs no scripts and loads nothing. */
export function htmlReport(report: ParityReport): string {
  const { cases, findings, facts, url, at, run } = report
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
<p>Run ${escaped(run)}, ${escaped(at.slice(0, 16).replace('T', ' '))} UTC. ${escaped(scoreLine(report))}</p>
<ul class="figures">${figures(report)
    .map(([figure, label]) => `<li><b>${figure}</b>${escaped(label)}</li>`)
    .join('')}</ul>
${facts.map((fact) => `<p>${escaped(fact)}</p>`).join('\n')}
${adviceHtml(report)}
<h2>Axes</h2>
<table><thead><tr>${head.join('')}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
<h2>Differences</h2>
${findings.length === 0 ? '<p>None.</p>' : findings.map(findingHtml).join('\n')}
</body>
</html>
`
}

function adviceHtml({ advice, findings }: ParityReport): string {
  if (!advice) return ''
  const { mends, breaks, command } = advice
  const others = breaks.length === 0 ? '' : `<p>It makes others differ: ${escaped(breaks.join(', '))}</p>`
  return `<p>This command makes the emulator answer like the service in ${mends} of ${findings.length} findings:</p><pre>${escaped(command)}</pre>${others}`
}

/** Score and coverage stand side by side, because one without the other misleads. */
function figures({ score, coverage, findings }: ParityReport): readonly (readonly [figure: string, label: string])[] {
  const open = findings.filter(({ accepted }) => accepted === null)
  return [
    [score === null ? '–' : percent(score), 'score'],
    [percent(coverage), 'coverage'],
    ...levels.map((level) => [`${open.filter((one) => one.level === level).length}`, level] as const),
  ]
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
  return `<section class="finding"><h3><span class="level ${level}">${level}</span> ${escaped(id)}: ${escaped(part)}</h3>
<p>${escaped(why)}</p>
<div class="sides">${side('Emulator', here, exchanges.here)}${side('Service', there, exchanges.there)}</div></section>`
}
