import type { ReactNode } from 'react'
import './style.css'

export const metadata = { title: 'Tasks', icons: 'data:,' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}
