// import "rules-referee-table/jsx"; defines <rules-table> and lets TypeScript know it in JSX. React 19 sets its
// properties; React 18 makes attributes of them, so there use <RulesTable> of rules-referee-table/react.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Drawn, RulesTable } from "./index.js";

type TableAttributes = Omit<DetailedHTMLProps<HTMLAttributes<RulesTable>, RulesTable>, "children" | keyof Drawn> &
  Partial<Drawn> & {
    session?: string | null;
    hint?: boolean | "";
    /** Set it by a ref: rendered on a server it would be an attribute. */
    token?: never;
  };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "rules-table": TableAttributes;
    }
  }
}
