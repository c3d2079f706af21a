import "@doorcode/browser/phone-login.css";
import type { ReactNode } from "react";

export const metadata = { title: "Doorcode on Next.js" };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
