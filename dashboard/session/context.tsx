/** The session for everything below it, and as whom the page acts. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import type { AppUser, Client } from '../../client/index.js'
import type { Session } from './session.js'

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
  const [acting, setActing] = useState<Acting>()
  const actAs = useCallback(
    async (user: AppUser | undefined) => {
      if (!user) return setActing(undefined)
      const { token } = await session.control.users.token({ user: user.id })
      setActing({ user, token })
    },
    [session],
  )
  const current = useMemo(
    () => ({
      ...session,
      acting,
      actAs,
      client: acting ? session.clientOf(acting.user, acting.token) : session.owner,
    }),
    [session, acting, actAs],
  )
  return <Context value={current}>{children}</Context>
}

export function useSession(): Current {
  const current = useContext(Context)
  if (!current) throw new Error('There is no session here.')
  return current
}
