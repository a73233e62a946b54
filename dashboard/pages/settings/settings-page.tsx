/** Shows the settings and keys of the project. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SvcError } from '../../../client/index.js'
import { settingWords } from '../../../client/protocol/model/project.js'
import { useCommand } from '../../frame/command-line.js'
import { useProject } from '../../frame/counts.js'
import { setTheme } from '../../frame/palette.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { Query } from '../../live/query.js'
import { Page } from '../../parts/layout.js'
import { preference } from '../../parts/preference.js'
import { useSession } from '../../session/context.js'
import type { ProjectRecord } from '../../session/session.js'
import { Keys } from './keys.js'
import { listChoices, SettingControl } from './setting-control.js'

export function SettingsPage() {
  const project = useProject()
  const { data } = project
  useCommand('svc project show')
  return (
    <Page title="Settings" facts={data ? `project ${data.name} · ${data.id}` : ''} actions={<Theme />}>
      <Query query={project}>
        {(found) => (
          <>
            <Settings project={found} />
            <Keys project={found} />
          </>
        )}
      </Query>
    </Page>
  )
}

function Theme() {
  const [theme, setName] = useState(preference('theme') ?? 'system')
  return (
    <select
      aria-label="Theme"
      value={theme}
      onChange={({ target }) => {
        setName(target.value)
        setTheme(target.value)
      }}
    >
      {['system', 'light', 'dark'].map((name) => (
        <option key={name} value={name}>
          theme {name}
        </option>
      ))}
    </select>
  )
}

/** Removes the request field `settings.` from the message, because users do not see it. */
function namedAsHere(error: unknown): never {
  if (!(error instanceof SvcError) || error.code !== 'VALIDATION_ERROR') throw error
  throw new Error(error.message.replaceAll('"settings.', '"'), { cause: error })
}

function Settings({ project }: { project: ProjectRecord }) {
  const { control } = useSession()
  const { notify } = useUndo()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const { idp, ...settings } = project.settings
  const set = (name: string, value: unknown) =>
    run(async () => {
      const before = settings[name as keyof typeof settings]
      const write = async (next: unknown) => {
        await control.projects.update({ project: project.id, settings: { [name]: next } }).catch(namedAsHere)
        await queries.invalidateQueries()
      }
      await write(value)
      notify({ text: `Changed ${name}`, undo: () => write(before) })
    })
  return (
    <ul className="settings">
      {Object.entries(settings).map(([name, value]) => (
        <li key={name}>
          <div>
            <b className="mono">{name}</b>
            <p className="dim">{settingWords[name as keyof typeof settingWords]}</p>
          </div>
          <SettingControl
            key={JSON.stringify(value)}
            {...{ name, value, isBusy }}
            choices={listChoices(name)}
            onSet={(next) => set(name, next)}
          />
        </li>
      ))}
      <li>
        <div>
          <b className="mono">idp</b>
          <p className="dim">{settingWords.idp} Their values are secret and not shown.</p>
        </div>
        <span className="mono">{idp.length === 0 ? 'none: the built-in provider' : idp.join(', ')}</span>
      </li>
    </ul>
  )
}
