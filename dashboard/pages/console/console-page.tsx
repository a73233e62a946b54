/** Runs SQL over the collections. */
import { useMemo } from 'react'
import { SvcError } from '../../../client/index.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { shellWord } from '../../../client/snippets/shell.js'
import { useCommand } from '../../frame/command-line.js'
import { Query } from '../../live/query.js'
import { Page } from '../../parts/layout.js'
import { Menu } from '../../parts/menu.js'
import { formatCsv } from '../../parts/rows/csv.js'
import { download } from '../../parts/rows/download.js'
import { Empty } from '../../parts/states.js'
import { useSession } from '../../session/context.js'
import { type Answer, AnswerGrid, toRecords } from './answer-grid.js'
import { completeSql, sqlName } from './completion.js'
import { useKeptText } from './kept-text.js'
import { useNames } from './use-names.js'
import { useRun } from './use-run.js'
import { Workbench } from './workbench.js'

export function ConsolePage() {
  const { control, project, folder } = useSession()
  const names = useNames()
  const [example] = names.collections()
  const kept = useKeptText(folder)
  const { text } = kept
  const { answer, error, errorHere, isBusy, start } = useRun(kept, (query) =>
    control.sql.run({ project: project.id, query }),
  )
  useCommand(`svc sql ${shellWord(text.trim() === '' ? 'select …' : text.trim())}`)
  const fault = useMemo(() => locateError(errorHere), [errorHere])
  return (
    <Page title="Console" facts="Runs one SELECT over a copy of your collections, users and files.">
      <Workbench
        kept={kept}
        complete={(context) => completeSql(context, names)}
        fault={fault}
        isBusy={isBusy}
        onRun={start}
        status={answer ? describeAnswer(answer) : ''}
        actions={answer && answer.rows.length > 0 ? <Save answer={answer} /> : null}
      >
        <Query
          query={{ data: answer, error: error && withoutPlace(error) }}
          loading={<Beginning example={example} onTake={kept.change} />}
        >
          {(found) => <AnswerGrid answer={found} />}
        </Query>
      </Workbench>
    </Page>
  )
}

function Save({ answer }: { answer: Answer }) {
  const rows = () => toRecords(answer)
  return (
    <Menu
      trigger="Save as"
      entries={[
        { label: 'CSV', run: () => void formatCsv(rows()).then((text) => download('answer.csv', text)) },
        { label: 'JSON', run: () => download('answer.json', `${JSON.stringify(rows(), undefined, 2)}\n`) },
      ]}
    />
  )
}

function Beginning({ example = 'posts', onTake }: { example: string | undefined; onTake: (text: string) => void }) {
  const name = sqlName(example)
  const queries = [
    `select * from ${name} order by created_at desc limit 20`,
    `select date_trunc('day', created_at) as day, count(*)\nfrom ${name}\ngroup by day\norder by day`,
    'select email, roles, created_at from users',
  ]
  return (
    <Empty title="Query your collections">
      <p>
        Each collection is a table with the columns id, created_at, updated_at, version, one for each field, and data
        (the whole document). Put names with capitals in double quotes.
      </p>
      <ul className="examples">
        {queries.map((query) => (
          <li key={query}>
            <button type="button" className="link mono" onClick={() => onTake(query)}>
              {query.replaceAll('\n', ' ')}
            </button>
          </li>
        ))}
      </ul>
    </Empty>
  )
}

function describeAnswer({ rows, isCut, milliseconds }: Answer): string {
  const count = counted(rows.length, 'row')
  return `${isCut ? `the first ${count}` : count} · ${milliseconds} ms`
}

function locateError(error: unknown): { at: number; message: string } | undefined {
  if (!(error instanceof SvcError)) return undefined
  const [, at] = error.issues[0]?.path ?? []
  return typeof at === 'number' ? { at, message: error.message } : undefined
}

/** Removes the position, because the editor marks it. */
function withoutPlace(error: unknown): unknown {
  return error instanceof SvcError ? new SvcError(error.code, error.message) : error
}
