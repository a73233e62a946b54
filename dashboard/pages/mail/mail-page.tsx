/** Shows sent mail. Nothing leaves the machine unless a transport is configured. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { Mail } from '../../../client/protocol/control/mail.js'
import { counted } from '../../../client/protocol/model/figures.js'
import { useCommand } from '../../frame/command-line.js'
import { maxMails, useMails } from '../../frame/counts.js'
import { useAction, useUndo } from '../../frame/undo.js'
import { Query } from '../../live/query.js'
import { Button, Copy } from '../../parts/button.js'
import { type Column, Grid } from '../../parts/grid.js'
import { Page, Pane } from '../../parts/layout.js'
import { Search } from '../../parts/search.js'
import { Empty, isMissing, NoMatch } from '../../parts/states.js'
import { Tabs } from '../../parts/tabs.js'
import { Time } from '../../parts/time.js'
import { useSession } from '../../session/context.js'

type Head = NonNullable<ReturnType<typeof useMails>['data']>[number]

export function MailPage() {
  const { control, project } = useSession()
  const { id } = useParams<{ id?: string }>()
  const [, go] = useLocation()
  const [search, setSearch] = useState('')
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const query = useMails()
  const { data } = query
  const close = useCallback(() => go('/mail'), [go])
  useCommand(id === undefined ? 'svc mail list' : `svc mail show ${id}`)
  const wanted = search.trim().toLowerCase()
  const mails = (data ?? []).filter(({ to, subject }) => `${to} ${subject}`.toLowerCase().includes(wanted))
  const { confirm } = useUndo()
  const clear = () =>
    run(async () => {
      if (!(await confirm('Delete all mail?', 'You cannot undo this.', 'Delete'))) return
      await control.mail.clear({ project: project.id })
      await queries.invalidateQueries({ queryKey: ['mail'] })
      close()
    })
  return (
    <Page
      title="Mail"
      facts={
        data
          ? `${data.length === maxMails ? 'the newest ' : ''}${counted(data.length, 'message')} · new mail appears automatically`
          : ''
      }
      actions={
        <>
          <Search label="Find by address or subject" value={search} onChange={setSearch} />
          <Button disabled={isBusy || !data?.length} onClick={clear}>
            Delete all
          </Button>
        </>
      }
      pane={id === undefined ? undefined : <MailPane key={id} id={id} onClose={close} />}
    >
      <Query query={query}>
        {(all) => {
          if (all.length === 0)
            return (
              <Empty title="No mail yet" command="svc mail wait --link">
                <p>Verification links, password resets and codes appear here instead of being sent.</p>
              </Empty>
            )
          if (mails.length === 0) return <NoMatch what="mail" onAll={() => setSearch('')} />
          return (
            <Grid
              label="Mail"
              columns={columns}
              count={mails.length}
              rowAt={(index) => mails[index]}
              getId={(mail) => mail.id}
              selected={id}
              onOpen={(mail) => go(`/mail/${mail.id}`)}
            />
          )
        }}
      </Query>
    </Page>
  )
}

const columns: readonly Column<Head>[] = [
  {
    name: 'to',
    head: 'to',
    width: 'minmax(160px, 1fr)',
    narrowWidth: 'minmax(0, 1.05fr)',
    cell: ({ to }) => <bdi>{to}</bdi>,
  },
  {
    name: 'subject',
    head: 'subject',
    width: 'minmax(180px, 2fr)',
    narrowWidth: 'minmax(0, 1fr)',
    cell: ({ subject, refused }) => (
      <>
        <bdi>{subject}</bdi> {refused === null ? null : <span className="tag warn">not sent</span>}
      </>
    ),
  },
  {
    name: 'at',
    head: 'at',
    width: '110px',
    narrowWidth: '92px',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

function MailPane({ id, onClose }: { id: string; onClose: () => void }) {
  const { control } = useSession()
  const queries = useQueryClient()
  const [isBusy, run] = useAction()
  const [tab, setTab] = useState('html')
  const query = useQuery({
    queryKey: ['mail', id],
    queryFn: () => control.mail.get({ id }),
    staleTime: 60_000,
  })
  const { data: mail, error } = query
  const remove = () =>
    run(async () => {
      await control.mail.remove({ id })
      await queries.invalidateQueries({ queryKey: ['mail'] })
      onClose()
    })
  return (
    <Pane
      title={<bdi>{mail?.subject ?? '…'}</bdi>}
      facts={mail ? `to ${mail.to}` : ''}
      onClose={onClose}
      foot={
        isMissing(error) ? null : (
          <Button disabled={isBusy} onClick={remove}>
            Delete
          </Button>
        )
      }
    >
      <Query query={query} gone={{ what: 'mail', back: 'All mail', onBack: onClose }}>
        {(found) => (
          <>
            {found.refused === null ? null : <div className="why">Not sent: {found.refused}</div>}
            <Picked mail={found} />
            <Tabs
              value={tab}
              onChange={setTab}
              tabs={[
                { name: 'html', title: 'HTML', content: () => <Html mail={found} /> },
                { name: 'text', title: 'Text', content: () => <pre className="json mono">{found.text}</pre> },
                { name: 'raw', title: 'Raw', content: () => <pre className="json mono">{found.raw}</pre> },
              ]}
            />
          </>
        )}
      </Query>
    </Pane>
  )
}

/** Shows the links and codes of a mail for copying. */
function Picked({ mail: { links, codes } }: { mail: Mail }) {
  const { hereUrl } = useSession()
  if (links.length + codes.length === 0) return null
  return (
    <ul className="picked">
      {codes.map((code) => (
        <li key={code}>
          <b className="code grow">{code}</b> <Copy text={code} label="copy code" />
        </li>
      ))}
      {links.map(hereUrl).map((link) => (
        <li key={link}>
          <a className="mono cut grow" href={link} target="_blank" rel="noreferrer">
            {link}
          </a>{' '}
          <Copy text={link} label="copy link" />
        </li>
      ))}
    </ul>
  )
}

/** Shows HTML mail in a sandbox without scripts or network. The policy of this page also applies. */
function Html({ mail }: { mail: Mail }) {
  return (
    <iframe className="mail-html" title="The mail as HTML" sandbox="" referrerPolicy="no-referrer" srcDoc={mail.html} />
  )
}
