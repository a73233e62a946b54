/** The session for everything below it, and as whom the page acts. */
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { AppUser, Client } from '../../client/index.js'
import { readAgain } from '../parts/read-again.js'
import type { Session } from './session.js'
import { keptActing } from './storage.js'

export interface Acting {
  readonly user: AppUser
  readonly token: string
}

interface Current extends Session {
  /** As whoever is acted as: what pages about data read and write with. */
  readonly client: Client
  readonly acting: Acting | undefined
  /** Begins to act as a user, or as the owner again. */
  readonly actAs: (user: AppUser | undefined) => Promise<void>
}

const Context = createContext<Current | undefined>(undefined)

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient()
  const kept = useMemo(() => keptActing(session.folder, session.project.id), [session])
  const [acting, setActing] = useState<Acting | undefined>(() => actingAgain(kept.read()))
  const begin = useCallback(
    async (user: AppUser): Promise<Acting> => ({ user, ...(await session.control.users.token({ user: user.id })) }),
    [session],
  )
  const actAs = useCallback(async (user: AppUser | undefined) => setActing(user && (await begin(user))), [begin])
  /** Unless somebody else is acted as meanwhile. */
  const goOn = useCallback((before: Acting, next: Acting) => setActing((now) => (now === before ? next : now)), [])
  const renew = useCallback(async (before: Acting) => goOn(before, await begin(before.user)), [begin, goOn])
  const client = useMemo(() => {
    if (!acting) return session.owner
    // A session that was ended, or has expired as the clock was moved, is followed by another one. Of a user who was deleted the
    // frame says so; where it fails, what is asked next is refused, and begins another one.
    const onEnd = () => renew(acting).catch(() => goOn(acting, { ...acting }))
    return session.clientOf(acting.user, acting.token, () => void onEnd())
  }, [session, acting, goOn, renew])
  useEffect(() => {
    if (acting?.token !== noToken) return
    void renew(acting).catch(() => undefined)
  }, [acting, renew])
  useEffect(() => kept.write(acting ? JSON.stringify(acting.user) : null), [kept, acting])
  // What was refused by the session that has ended is asked again.
  const token = acting?.token
  useEffect(() => {
    if (token !== undefined) void readAgain(queries)
  }, [queries, token])
  const current = useMemo(() => ({ ...session, acting, actAs, client }), [session, acting, actAs, client])
  return <Context value={current}>{children}</Context>
}

/** Placeholder after a reload, until the page has a new token. */
const noToken = '-'

/** The user that the page acted as before a reload. If the user was deleted meanwhile, the frame says so. */
function actingAgain(text: string | null): Acting | undefined {
  return text === null ? undefined : { user: JSON.parse(text) as AppUser, token: noToken }
}

export function useSession(): Current {
  const current = useContext(Context)
  if (!current) throw new Error('There is no session here.')
  return current
}
