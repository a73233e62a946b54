/** Tracks the command that does the same as the open page. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'

const Context = createContext<{ command: string; setCommand: (command: string) => void } | undefined>(undefined)

export function CommandLineProvider({ children }: { children: ReactNode }) {
  const [command, setCommand] = useState('svc status')
  const value = useMemo(() => ({ command, setCommand }), [command])
  return <Context value={value}>{children}</Context>
}

function useCommandContext() {
  const context = useContext(Context)
  if (!context) throw new Error('useCommand needs a CommandLineProvider.')
  return context
}

/** @param command undefined while a part of the page, such as its pane, sets the command */
export function useCommand(command: string | undefined): void {
  const { setCommand } = useCommandContext()
  useEffect(() => {
    if (command !== undefined) setCommand(command)
  }, [command, setCommand])
}

export function useShownCommand(): string {
  return useCommandContext().command
}
